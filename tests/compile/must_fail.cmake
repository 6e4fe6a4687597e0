# SOURCE must compile with COMMAND; with -DMUST_FAIL it must not, and the compiler must say what
# the line "// must fail with: <text>" of SOURCE says. The first half shows that it is the mistake,
# and not the file or the command, that is refused.
file(READ "${SOURCE}" text)
if(NOT text MATCHES "// must fail with: ([^\n]+)")
  message(FATAL_ERROR "${SOURCE} does not say what it must fail with")
endif()
set(expected "${CMAKE_MATCH_1}")
set(ENV{LC_ALL} C)  # compilers translate their messages

execute_process(COMMAND ${COMMAND} "${SOURCE}" RESULT_VARIABLE failed OUTPUT_VARIABLE said
                ERROR_VARIABLE said)
if(failed)
  message(FATAL_ERROR "without the mistake it must compile, but:\n${said}")
endif()

execute_process(COMMAND ${COMMAND} -DMUST_FAIL "${SOURCE}" RESULT_VARIABLE failed
                OUTPUT_VARIABLE said ERROR_VARIABLE said)
if(NOT failed)
  message(FATAL_ERROR "with the mistake it must not compile, but it does")
endif()
string(FIND "${said}" "${expected}" found)
if(found EQUAL -1)
  message(FATAL_ERROR "expected the message '${expected}', but the compiler said:\n${said}")
endif()
