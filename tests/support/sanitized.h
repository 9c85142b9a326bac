// Whether a sanitizer is active: its allocator keeps freed memory, and everything is many times slower.
#pragma once

#if defined(__SANITIZE_THREAD__)
#define ESPALIER_THREAD_SANITIZED 1
#elif defined(__has_feature)
#if __has_feature(thread_sanitizer)
#define ESPALIER_THREAD_SANITIZED 1
#endif
#endif
#ifndef ESPALIER_THREAD_SANITIZED
#define ESPALIER_THREAD_SANITIZED 0
#endif

namespace espalier::test {

// The operator new of the thread sanitizer ends the process when memory is short; it does not throw.
constexpr bool is_thread_sanitized = ESPALIER_THREAD_SANITIZED != 0;

#if defined(__SANITIZE_ADDRESS__)
constexpr bool is_sanitized = true;
#elif defined(__has_feature)
#if __has_feature(address_sanitizer)
constexpr bool is_sanitized = true;
#else
constexpr bool is_sanitized = is_thread_sanitized;
#endif
#else
constexpr bool is_sanitized = is_thread_sanitized;
#endif

}  // namespace espalier::test
