#pragma once

#include "batch_writers.hpp"

#include <weft/store/checkpoint_store.hpp>

#include <cstdint>
#include <filesystem>
#include <memory>
#include <string>
#include <vector>

namespace weft_bench {

/** A folder that is gone afterwards. */
class own_folder {
public:
    own_folder();
    ~own_folder();
    own_folder(const own_folder&) = delete;
    own_folder& operator=(const own_folder&) = delete;

    [[nodiscard]] std::string file() const { return (path_ / "weft.db").string(); }
    /** All that its files take. */
    [[nodiscard]] std::uintmax_t bytes() const;

private:
    std::filesystem::path path_;
};

/** A new store with what it stands on: a file, or a server of its own. */
class opened_store {
public:
    virtual ~opened_store() = default;
    [[nodiscard]] virtual weft::checkpoint_store& store() noexcept = 0;
    /** What it takes on disk; in memory what it counts itself. */
    [[nodiscard]] virtual std::uintmax_t bytes() = 0;
    /** Closes the store and opens it anew. */
    virtual void reopen() {}
    /** Writes the same rows without the store. */
    [[nodiscard]] virtual commit_cost write_by_hand(const noted_commits& commits, std::size_t batch);
};

/** The kinds there are here: memory, and sqlite and postgres as far as they were built and are installed. */
[[nodiscard]] std::vector<std::string> store_kinds();
/** @param kind   One of those, or `sqlite_normal`. */
[[nodiscard]] std::unique_ptr<opened_store> open_store(const std::string& kind);

}  // namespace weft_bench
