# Tries every order of events of MODEL with SPIN, in FOLDER. The model must hold: no assertion fails,
# nothing waits for ever, and its claim comes true. With MISTAKE 1 and 2 built in, it must not, which
# shows that the check would see them.
function(check mistake verifier options result)
  file(REMOVE_RECURSE "${FOLDER}")
  file(MAKE_DIRECTORY "${FOLDER}")
  foreach(command "${SPIN};-DMISTAKE=${mistake};-a;${MODEL}" "cc;-O1;-w;${verifier};-o;pan;pan.c"
                  "./pan;-m1000000;${options}")
    execute_process(COMMAND ${command} WORKING_DIRECTORY "${FOLDER}" RESULT_VARIABLE failed
                    OUTPUT_VARIABLE said ERROR_VARIABLE errors)
    if(failed)
      message(FATAL_ERROR "${command} failed:\n${said}${errors}")
    endif()
  endforeach()
  if(said MATCHES "max search depth too small|out of memory")
    message(FATAL_ERROR "not every order was tried:\n${said}")
  endif()
  set(${result} "${said}" PARENT_SCOPE)
endfunction()

function(expect_no_errors said)
  if(NOT said MATCHES "errors: 0")
    message(FATAL_ERROR "the model does not hold:\n${said}")
  endif()
endfunction()

check(0 "-DNOCLAIM;-DSAFETY" "" said)  # assertions, and states in which nothing can go on
expect_no_errors("${said}")
check(0 "-DNFAIR=4" "-a;-f" said)  # the claim, when every process gets its turn
expect_no_errors("${said}")
foreach(mistake RANGE 1 2)
  check(${mistake} "-DNOCLAIM;-DSAFETY" "" said)
  if(said MATCHES "errors: 0")
    message(FATAL_ERROR "the check does not see mistake ${mistake}:\n${said}")
  endif()
endforeach()
