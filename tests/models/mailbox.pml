/* The protocol of the mailbox, small enough to try every order of events. Two askers share SLOTS
 * slots; one kernel answers tickets in order. A request is two pieces that may arrive in either
 * order, each with its tag, as words of a write-combining line do. An asker may lose patience at any
 * moment and abandon its ticket; the late reply must then meet nobody's message.
 *
 * Checked: a request is served whole and once, in order of tickets; a reply reaches who asked; a slot
 * is never written while its last message may still be read. */
#define SLOTS 2
#define ROUNDS 2   /* questions of each asker */
#define TICKETS 4  /* of both askers together */
#define FREE 0
#define ABANDONED 100

byte request_tag[4];   /* piece p of slot s at 2 * s + p */
byte request_from[4];  /* the payload: who asked */
byte reply_tag[SLOTS];
byte reply_to[SLOTS];
byte owner[SLOTS];  /* FREE, ticket + 1, or that + ABANDONED: the host's own memory */
byte next = 0;      /* the next ticket, under the lock */
bool lock = false;
byte served = 0;
bool whole = false;

inline store_piece(slot, piece, ticket, me) {
  atomic {
    request_tag[2 * (slot) + (piece)] = (ticket) + 1;
    request_from[2 * (slot) + (piece)] = me
  }
}

proctype asker(byte me) {
  byte round = 0;
  byte ticket;
  byte slot;
  do
  :: round < ROUNDS ->
    atomic { !lock -> lock = true }
    slot = next % SLOTS;
    if
    :: owner[slot] == FREE -> skip
  #if MISTAKE == 1  /* a slot is used again before the late reply has come */
  :: owner[slot] > ABANDONED -> skip
#else
  :: owner[slot] > ABANDONED && reply_tag[slot] == owner[slot] - ABANDONED -> skip
#endif
    :: else -> lock = false; goto again  /* full: back-pressure */
    fi;
    ticket = next;
    next++;
    owner[slot] = ticket + 1;
    if  /* the pieces of the line travel in any order */
    :: store_piece(slot, 0, ticket, me); store_piece(slot, 1, ticket, me)
    :: store_piece(slot, 1, ticket, me); store_piece(slot, 0, ticket, me)
    fi;
    lock = false;
    do
    :: reply_tag[slot] == ticket + 1 ->
      assert(reply_to[slot] == me);
      owner[slot] = FREE;
      break
    :: owner[slot] = ticket + 1 + ABANDONED; break  /* out of time */
    od;
    round++;
again:
    skip
  :: else -> break
  od
}

proctype server() {
  byte ticket = 0;
  byte slot;
  byte from;
  do
  :: ticket < TICKETS ->
    slot = ticket % SLOTS;
    do
    :: request_tag[2 * slot + 1] == ticket + 1 ->  /* pieces are looked at one by one */
      from = request_from[2 * slot + 1];
      if
#if MISTAKE == 2  /* the tag of one piece stands for the whole line */
      :: true ->
#else
      :: request_tag[2 * slot] == ticket + 1 ->
#endif
        assert(request_from[2 * slot] == from);  /* not torn */
        break
      :: else -> skip
      fi
    od;
    assert(owner[slot] == ticket + 1 || owner[slot] == ticket + 1 + ABANDONED);
    atomic { reply_to[slot] = from; reply_tag[slot] = ticket + 1 }  /* one store of 16 bytes */
    ticket++;
    served = ticket
  :: else -> break
  od
}

init {
  atomic { run asker(1); run asker(2); run server() }
}

/* Whatever happens, all tickets that were drawn are served. */
ltl all_served { <> (served == TICKETS) }
