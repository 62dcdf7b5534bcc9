#pragma once

// `WEFT_TESTS_FORK`: ThreadSanitizer does not support OS threads in the children of fork.
#if defined(__SANITIZE_THREAD__)
#define WEFT_TESTS_FORK 0
#elif defined(__has_feature)
#if __has_feature(thread_sanitizer)
#define WEFT_TESTS_FORK 0
#endif
#endif
#ifndef WEFT_TESTS_FORK
#define WEFT_TESTS_FORK 1
#endif
