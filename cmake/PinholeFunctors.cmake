# Installed too: users of a CPU-only pinhole need it as much as the project itself.

# pinhole_functor_sources(file.cu...): sources of functors, called in the folder that names them.
# They are CUDA where there is nvcc, and C++ with a CPU-only pinhole.
function(pinhole_functor_sources)
  get_target_property(definitions pinhole::pinhole INTERFACE_COMPILE_DEFINITIONS)
  if("PINHOLE_CPU_ONLY" IN_LIST definitions)
    set_source_files_properties(${ARGN} PROPERTIES LANGUAGE CXX COMPILE_OPTIONS "-xc++")
  endif()
endfunction()
