//! The tests of `lockfree-cuckoo` are the targets beside this file.
