/* The protocol of the rings, small enough to try every order of events: one producer that pushes
 * batches and closes, one consumer, each with a remembered copy of the other's count. The elements of
 * a batch are written in either order before the tail says that they are there.
 *
 * Checked: every element is read once, in order, as it was pushed; no slot is overwritten before its
 * element was read; the consumer ends when the ring is closed, and has read all then. */
#define CAPACITY 2
#define ELEMENTS 5

byte element[CAPACITY];
byte tail = 0;  /* written by the producer */
bool closed = false;  /* a bit of the tail: both are published by one store */
byte head = 0;  /* written by the consumer */
byte read = 0;

proctype producer() {
  byte mine = 0;    /* the tail, as the producer knows it */
  byte theirs = 0;  /* the head, as last seen */
  do
  :: mine < ELEMENTS ->
    if
    :: mine - theirs == CAPACITY -> theirs = head  /* look again only when it seems full */
#if MISTAKE == 1  /* one element more than there is room for */
    :: mine - theirs <= CAPACITY ->
#else
    :: mine - theirs < CAPACITY ->
#endif
      element[mine % CAPACITY] = mine + 1;
      mine++;
      tail = mine
    :: mine - theirs + 2 <= CAPACITY && mine + 2 <= ELEMENTS ->  /* a batch of two, one publication */
      if
      :: element[mine % CAPACITY] = mine + 1; element[(mine + 1) % CAPACITY] = mine + 2
      :: element[(mine + 1) % CAPACITY] = mine + 2; element[mine % CAPACITY] = mine + 1
      fi;
      mine = mine + 2;
      tail = mine
    fi
  :: else -> break
  od;
  atomic { closed = true }
}

proctype consumer() {
  byte mine = 0;    /* the head, as the consumer knows it */
  byte theirs = 0;  /* the tail, as last seen */
  bool seen_closed = false;
  do
  :: theirs == mine ->
    if
    :: seen_closed -> break  /* what the mark came with has been read */
#if MISTAKE == 2  /* the mark is a word of its own, looked at after the count */
    :: else -> theirs = tail; seen_closed = closed
#else
    :: else -> atomic { theirs = tail; seen_closed = closed }  /* one look */
#endif
    fi
  :: theirs != mine ->
    assert(element[mine % CAPACITY] == mine + 1);
    mine++;
    read = mine;
    if
    :: theirs == mine -> head = mine  /* the whole batch is handed back at once */
    :: theirs != mine -> skip
    :: head = mine  /* or in parts */
    fi
  od;
  assert(read == ELEMENTS)
}

init {
  atomic { run producer(); run consumer() }
}

ltl all_read { <> (read == ELEMENTS) }
