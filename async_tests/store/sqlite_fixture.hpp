#pragma once

#include "printed_errc.hpp"
#include "tool/own_directory.hpp"

#include <weft/async/task.hpp>
#include <weft/base/error.hpp>
#include <weft/store/sqlite_store.hpp>

#include <sqlite3.h>

#include <atomic>
#include <cstdint>
#include <memory>
#include <optional>
#include <ostream>
#include <stdexcept>
#include <string>
#include <utility>

namespace weft {

// For the messages of BOOST_TEST.
inline std::ostream& operator<<(std::ostream& out, write_state state) { return out << name_of(state); }
inline std::ostream& operator<<(std::ostream& out, run_phase phase) { return out << name_of(phase); }

}  // namespace weft

/** What the tests of the SQLite store have in common. */
namespace sqlite_tests {

using weft::task;
using store_ptr = std::unique_ptr<weft::sqlite_store>;

/** A file in a directory of its own, and how it is opened; without waiting for the disk. */
class store_file {
public:
    explicit store_file(std::string_view name) : directory_{"sqlite-" + std::string{name}} {}

    [[nodiscard]] std::string path() const { return (directory_.path() / "weft.db").string(); }
    [[nodiscard]] weft::sqlite_options options() const
    {
        weft::sqlite_options chosen{path()};
        chosen.sync = weft::sqlite_sync::normal;
        return chosen;
    }
    /** The same with one member of another value. */
    template <class T>
    [[nodiscard]] weft::sqlite_options with(T weft::sqlite_options::*member, std::type_identity_t<T> value) const
    {
        weft::sqlite_options chosen = options();
        chosen.*member = std::move(value);
        return chosen;
    }
    [[nodiscard]] const std::filesystem::path& directory() const noexcept { return directory_.path(); }

private:
    weft_tests::own_directory directory_;
};

/** Ids without chance, each another one. */
inline weft::unique_id next_id()
{
    static std::atomic<std::uint64_t> last{0};
    const std::uint64_t number = ++last;
    weft::unique_id id;
    for (std::size_t i = 0; i < 8; ++i) id.bytes[15 - i] = static_cast<std::uint8_t>(number >> (8 * i));
    return id;
}

/** A new run of an idle thread, on a worker that lives for a day. */
inline task<weft::write_fence> hold(weft::checkpoint_store& store, std::string thread)
{
    const weft::worker_id worker = co_await store.enter("test", std::chrono::hours{24});
    weft::new_run run{weft::thread_key{std::move(thread)}, weft::run_id{next_id()}};
    run.started_by(worker);
    const weft::run_admission admission = co_await store.enqueue(std::move(run));
    if (!admission.claim) throw std::runtime_error{"the thread is busy"};
    co_return admission.claim->fence;
}

inline weft::checkpoint_draft draft_of(std::string body)
{
    weft::checkpoint_draft draft;
    draft.id = weft::checkpoint_id{next_id()};
    draft.body = std::move(body);
    return draft;
}

/** Commits a body; anything but success throws. @return The new head. */
inline task<std::int64_t> commit(weft::checkpoint_store& store, weft::write_fence fence, std::string body)
{
    const weft::commit_result result = co_await store.commit(std::move(fence), draft_of(std::move(body)));
    if (result.state != weft::write_state::ok)
        throw std::runtime_error{"commit: " + std::string{name_of(result.state)}};
    co_return result.head;
}

/** How a task ended: nothing, or its error. */
template <class T>
task<std::optional<weft::error>> error_of(task<T> work)
{
    std::optional<weft::error> found;
    try {
        static_cast<void>(co_await std::move(work));
    } catch (const weft::error& e) {
        found = e;
    }
    co_return found;
}

/** Another program's connection to the file. */
class foreign_connection {
public:
    explicit foreign_connection(const std::string& path)
    {
        if (sqlite3_open(path.c_str(), &db_) != SQLITE_OK) throw std::runtime_error{"sqlite3_open"};
        sqlite3_busy_timeout(db_, 5'000);
    }
    ~foreign_connection() { sqlite3_close(db_); }
    foreign_connection(const foreign_connection&) = delete;
    foreign_connection& operator=(const foreign_connection&) = delete;

    void run(const char* statements)
    {
        if (sqlite3_exec(db_, statements, nullptr, nullptr, nullptr) != SQLITE_OK)
            throw std::runtime_error{std::string{statements} + ": " + sqlite3_errmsg(db_)};
    }

private:
    sqlite3* db_ = nullptr;
};

}  // namespace sqlite_tests
