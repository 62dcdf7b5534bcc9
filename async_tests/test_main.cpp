// The main function of every test program.
#define BOOST_TEST_MODULE weft
#include <boost/test/unit_test.hpp>

#if defined(__has_feature)
#if __has_feature(thread_sanitizer)
// What ThreadSanitizer cannot see: libstdc++.so counts the owners of an exception by atomic operations that are not
// instrumented, so that the last owner seems to free it while another one reads; and Asio's handler of signals reads a
// file descriptor that `sigaction` has published.
extern "C" const char* __tsan_default_suppressions()
{
    return "race:std::__exception_ptr::exception_ptr::_M_release\n"
           "race:boost_asio_signal_handler\n";
}
#endif
#endif
