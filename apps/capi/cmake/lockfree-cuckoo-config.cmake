# find_package(lockfree-cuckoo CONFIG REQUIRED) for C and C++: the targets lockfree-cuckoo::shared
# and lockfree-cuckoo::static. It finds the files from where it lies itself, so the installed tree
# can be moved as a whole.

# Without symbolic links: where /lib is one to /usr/lib, the headers are in /usr/include.
get_filename_component(_lfcf_here "${CMAKE_CURRENT_LIST_DIR}" REALPATH)

# It lies in cmake/lockfree-cuckoo of the folder of libraries, or of share.
foreach(_lfcf_up "../.." "../../../lib/${CMAKE_LIBRARY_ARCHITECTURE}" "../../../lib" "../../../lib64")
    get_filename_component(_lfcf_lib "${_lfcf_here}/${_lfcf_up}" ABSOLUTE)
    foreach(_lfcf_kind shared static)
        string(TOUPPER "CMAKE_${_lfcf_kind}_LIBRARY_SUFFIX" _lfcf_suffix)
        set(_lfcf_file "${_lfcf_lib}/liblockfree_cuckoo_c${${_lfcf_suffix}}")
        if(NOT _lfcf_${_lfcf_kind} AND EXISTS "${_lfcf_file}")
            set(_lfcf_${_lfcf_kind} "${_lfcf_file}")
        endif()
    endforeach()
endforeach()
# `make install` writes the place of INCLUDEDIR, seen from here.
set(_lfcf_headers "")
foreach(_lfcf_up ${_lfcf_headers} "../../../include" "../../../../include")
    get_filename_component(_lfcf_folder "${_lfcf_here}/${_lfcf_up}" ABSOLUTE)
    if(NOT _lfcf_include AND EXISTS "${_lfcf_folder}/lockfree_cuckoo.h")
        set(_lfcf_include "${_lfcf_folder}")
    endif()
endforeach()

if(NOT _lfcf_include)
    set(lockfree-cuckoo_FOUND FALSE)
    set(lockfree-cuckoo_NOT_FOUND_MESSAGE "no lockfree_cuckoo.h in an include folder beside ${_lfcf_here}")
endif()
foreach(_lfcf_kind shared static)
    if(NOT _lfcf_${_lfcf_kind})
        set(lockfree-cuckoo_FOUND FALSE)
        set(lockfree-cuckoo_NOT_FOUND_MESSAGE "no ${_lfcf_kind} library in a lib folder beside ${_lfcf_here}")
    elseif(_lfcf_include AND NOT TARGET lockfree-cuckoo::${_lfcf_kind})
        string(TOUPPER "${_lfcf_kind}" _lfcf_type)
        add_library(lockfree-cuckoo::${_lfcf_kind} ${_lfcf_type} IMPORTED)
        set_target_properties(lockfree-cuckoo::${_lfcf_kind} PROPERTIES
            IMPORTED_LOCATION "${_lfcf_${_lfcf_kind}}"
            INTERFACE_INCLUDE_DIRECTORIES "${_lfcf_include}")
    endif()
endforeach()
if(TARGET lockfree-cuckoo::static)
    # What Rust's standard library needs.
    set_target_properties(lockfree-cuckoo::static PROPERTIES
        IMPORTED_LINK_INTERFACE_LANGUAGES C
        INTERFACE_LINK_LIBRARIES "pthread;m;${CMAKE_DL_LIBS}")
endif()

foreach(_lfcf_name here up lib kind suffix file shared static headers folder include type)
    unset(_lfcf_${_lfcf_name})
endforeach()
unset(_lfcf_name)
