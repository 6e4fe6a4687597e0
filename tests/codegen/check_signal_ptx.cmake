# Compiles signal.cu to PTX and looks at what each kernel does to shared memory, and in which order.
# ORDER is the memory ordering that the protocols rest on: a weaker instruction, or one in another
# place, fails here before it fails once in a million rounds.
execute_process(
  COMMAND "${NVCC}" -std=c++20 -O3 -arch=${ARCHITECTURE} -I${INCLUDE} -ptx -o - "${FOLDER}/signal.cu"
  RESULT_VARIABLE failed OUTPUT_VARIABLE ptx ERROR_VARIABLE errors)
if(failed)
  message(FATAL_ERROR "signal.cu did not compile:\n${errors}")
endif()

# expect(kernel regex): the accesses of the kernel, one a line, must match.
function(expect kernel regex)
  string(REGEX MATCH "\\.entry ${kernel}\\(.*" body "${ptx}")
  string(REGEX REPLACE "\n}.*" "" body "${body}")
  string(REGEX MATCHALL "(ld|st|fence|atom)\\.[a-z0-9_.]+" accesses "${body}")
  list(FILTER accesses EXCLUDE REGEX "param")
  list(JOIN accesses " " accesses)
  if(NOT accesses MATCHES "${regex}")
    message(SEND_ERROR "${kernel}: expected '${regex}', found '${accesses}'")
  endif()
endfunction()

set(look "ld\\.relaxed\\.sys\\.global\\.b64")
set(look_16 "ld\\.relaxed\\.sys\\.global\\.b128")
set(acquire "ld\\.acquire\\.sys\\.global\\.b64")
set(acquire_16 "ld\\.acquire\\.sys\\.global\\.b128")
set(store "st\\.relaxed\\.sys\\.global\\.b64")
set(store_16 "st\\.relaxed\\.sys\\.global\\.b128")
set(fence "fence\\.acq_rel\\.sys")
expect(look_at_word "^${look} st\\.global")
expect(look_at_pair "^${look_16} st\\.global")
expect(store_word "^${store}$")
expect(store_pair "^${store_16}$")
# Data, then the fence, then the word that the host polls.
expect(raise_flag "st\\.global\\.[a-z0-9]+ .*${fence} ${store}$")
expect(raise_flag_to "^st\\.global\\.[a-z0-9]+ ${fence} ${store}$")
expect(raise_flag_alone "^${store}$")
# The word by a load that acquires, or, seen by way of the relay, the word and a fence; then the data.
expect(see_flag "${acquire} .*${look} ${fence} ${look} ld\\.global\\.[a-z0-9]+ st\\.global")
# One thread at a time looks over the link, and leaves what it saw before it gives up its turn.
expect(look_in_turn
       "^atom\\.global\\.cas\\.b64 ${fence} ${look} ${fence} ${store} ${fence} atom\\.global\\.exch\\.b64")
expect(count "^atom\\.add\\.acq_rel\\.gpu\\.global\\.u64 ")
expect(count_alone "^atom\\.add\\.relaxed\\.gpu\\.global\\.u64 ")
# All of the line is loaded before any of it is judged, and no other load lies between. The last load
# is one that acquires, unless the messages alone are ordered.
expect(receive "^${look_16} (${look_16} ${acquire_16}|${acquire_16} ${look_16}) ")
expect(answer "^${fence} ${store_16}$")
expect(read_ring "${look} ${fence} ld\\.global.* st\\.global.* ${fence} ${store}$")
expect(write_ring "st\\.global\\.v4.*${fence} ${store}")
