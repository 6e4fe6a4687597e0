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
set(store "st\\.relaxed\\.sys\\.global\\.b64")
set(store_16 "st\\.relaxed\\.sys\\.global\\.b128")
set(fence "fence\\.acq_rel\\.sys")
expect(look_at_word "^${look} st\\.global")
expect(look_at_pair "^${look_16} st\\.global")
expect(store_word "^${store}$")
expect(store_pair "^${store_16}$")
# Data, then the fence, then the word that the host polls.
expect(raise_flag "st\\.global\\.[a-z0-9]+ .*${fence} ${store}$")
# The word, then the fence, then the data.
expect(see_flag "${look} .*${fence} ld\\.global.* st\\.global")
# Both halves of the line are loaded before either is judged; no other load lies between.
expect(receive "${look_16} ${look_16} ")
expect(receive "${fence}.*st\\.global")
expect(answer "^${fence} ${store_16}$")
expect(read_ring "${look} ${fence} ld\\.global.* st\\.global.* ${fence} ${store}$")
expect(write_ring "st\\.global\\.v4.*${fence} ${store}")
