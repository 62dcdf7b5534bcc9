#pragma once

#include <weft/async/loop/serial_loop.hpp>
#include <weft/async/scope.hpp>
#include <weft/base/error.hpp>
#include <weft/testing/store_conformance.hpp>

#include <chrono>
#include <cstdint>
#include <optional>
#include <source_location>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

/** What the checks of stores have in common. */
namespace weft::testing::store_trial {

#define WEFT_STORE_CHECK(name) {#name, &name}

using where = std::source_location;

[[noreturn]] void fail(std::string_view what, const std::string& came, const std::string& wanted, const where& at);

inline std::string show(bool value) { return value ? "true" : "false"; }
inline std::string show(std::string_view text)
{
    constexpr std::size_t shown_max = 80;
    if (text.size() > shown_max)
        return "a text of " + std::to_string(text.size()) + " bytes, '" + std::string{text.substr(0, shown_max)} + "…'";
    return "'" + std::string{text} + "'";
}
inline std::string show(const char* text) { return show(std::string_view{text}); }
inline std::string show(const std::string& text) { return show(std::string_view{text}); }
inline std::string show(const content_hash& hash) { return hash.text(); }
inline std::string show(wall_time time)
{
    return std::to_string(std::chrono::duration_cast<std::chrono::milliseconds>(time.time_since_epoch()).count()) +
           " ms since 1970";
}
template <class Tag>
std::string show(const typed_id<Tag>& id)
{
    return id.text();
}
template <class T>
    requires std::is_enum_v<T>
std::string show(T value)
{
    if constexpr (requires { name_of(value); })
        return std::string{name_of(value)};
    else
        return "no. " + std::to_string(static_cast<int>(value));
}
template <class T>
    requires std::is_integral_v<T>
std::string show(T value)
{
    return std::to_string(value);
}
template <class T>
std::string show(const std::vector<T>& values)
{
    std::string text = "[";
    for (const T& each : values) text += (text.size() > 1 ? ", " : "") + show(each);
    return text + "]";
}

/** Throws `store_check_failure` unless `holds`. */
inline void expect(bool holds, std::string_view what, const where& at = where::current())
{
    if (!holds) fail(what, "not so", "so", at);
}

template <class T, class U>
void expect_equal(const T& came, const U& wanted, std::string_view what, const where& at = where::current())
{
    bool equal = false;
    if constexpr (std::is_integral_v<T> && std::is_integral_v<U> && !std::is_same_v<T, bool>)
        equal = std::cmp_equal(came, wanted);
    else
        equal = came == wanted;
    if (!equal) fail(what, show(came), show(wanted), at);
}

/** Awaits `work`, which has to fail with `code`. */
template <class T>
task<void> expect_error(task<T> work, errc code, std::string what, where at = where::current())
{
    std::optional<errc> came;
    try {
        static_cast<void>(co_await std::move(work));
    } catch (const error& e) {
        came = e.code();
    }
    if (came != code) fail(what, came ? std::string{name_of(*came)} : "success", std::string{name_of(code)}, at);
}
task<void> expect_error(task<void> work, errc code, std::string what, where at = where::current());

/** A worker and the thread it may write. */
class holder {
public:
    holder() noexcept {}
    worker_id worker = 0;
    write_fence fence;
};

constexpr std::chrono::milliseconds long_lifetime = std::chrono::hours{24};

[[nodiscard]] task<run_id> new_run_id();
[[nodiscard]] task<checkpoint_id> new_checkpoint_id();
[[nodiscard]] task<worker_id> enter(checkpoint_store& store);
/** Enters a run and takes it at once. */
[[nodiscard]] task<run_claim> start(checkpoint_store& store, thread_key thread, worker_id worker);
/** As `start`, on a worker of its own with a long life. */
[[nodiscard]] task<holder> hold(checkpoint_store& store, thread_key thread);
/** As `hold`, with a worker whose life runs out after `trial.lifetime()`. */
[[nodiscard]] task<holder> hold_shortly(store_under_test& trial, thread_key thread);
/** Lets the lives of `hold_shortly` run out. */
[[nodiscard]] task<void> outlive(store_under_test& trial);
/** Enters a run that no worker has. */
[[nodiscard]] task<run_id> enqueue_ready(checkpoint_store& store, thread_key thread);

[[nodiscard]] task<checkpoint_draft> draft_of(std::string body);
[[nodiscard]] blob blob_of(checkpoint_store& store, std::string bytes,
                           std::vector<content_hash> links = std::vector<content_hash>{});
/** Commits and moves the fence's head along; anything but `ok` is a failure. */
[[nodiscard]] task<void> commit(checkpoint_store& store, holder& by, checkpoint_draft draft,
                                where at = where::current());
/** Commits a checkpoint with nothing but a body. */
[[nodiscard]] task<void> commit_body(checkpoint_store& store, holder& by, std::string body,
                                     where at = where::current());
[[nodiscard]] task<std::int64_t> head_of(checkpoint_store& store, thread_key thread);
[[nodiscard]] task<run_phase> phase_of(checkpoint_store& store, run_id run);
/** The thread's checkpoints, oldest first. */
[[nodiscard]] task<std::vector<checkpoint_info>> chain_of(checkpoint_store& store, thread_key thread);
/** Sequences without holes from 1, each the parent of the next, and epochs that never fall. */
void expect_whole(const std::vector<checkpoint_info>& chain, const where& at = where::current());

std::span<const store_check> worker_checks();
std::span<const store_check> run_checks();
std::span<const store_check> line_checks();
std::span<const store_check> queue_checks();
std::span<const store_check> signal_checks();
std::span<const store_check> ownership_checks();
std::span<const store_check> checkpoint_checks();
std::span<const store_check> history_checks();
std::span<const store_check> journal_checks();
std::span<const store_check> housekeeping_checks();
std::span<const store_check> text_checks();
std::span<const store_check> concurrency_checks();
std::span<const store_check> news_checks();

std::span<const service_store_check> event_log_checks();
std::span<const service_store_check> document_checks();
std::span<const service_store_check> list_checks();
std::span<const service_store_check> copy_checks();
std::span<const service_store_check> outbox_checks();
std::span<const service_store_check> registry_checks();
std::span<const service_store_check> queue_rule_checks();

}  // namespace weft::testing::store_trial
