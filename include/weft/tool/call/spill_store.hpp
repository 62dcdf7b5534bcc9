#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <filesystem>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>

namespace weft {

class tool_set;

/** Keeps results that are too long for a model, which gets their beginning and a reference.
 *
 *  @par Thread safety   All operations from any OS thread. */
class spill_store {
public:
    virtual ~spill_store() = default;

    /** Keeps a text.
     *  @return   Names it, in letters, digits and '-'.
     *  @par Errors   `errc::limit_reached` if it is larger than all the store may hold; what the store's own
     *                operations throw. */
    [[nodiscard]] virtual std::string put(std::string_view text) = 0;
    /** The text of a reference; nothing if there is none or it had to make room. */
    [[nodiscard]] virtual std::optional<std::string> find(std::string_view reference) = 0;

protected:
    spill_store() = default;
    spill_store(const spill_store&) = delete;
    spill_store& operator=(const spill_store&) = delete;
};

/** How much a spill store holds; the oldest texts make room. */
struct spill_limits {
    std::size_t bytes_max = 64 * 1024 * 1024;
    std::size_t texts_max = 1'000;
};

/** Keeps texts in memory. */
class memory_spill_store final : public spill_store {
public:
    explicit memory_spill_store(spill_limits limits = {}) noexcept : limits_{limits} {}
    [[nodiscard]] std::string put(std::string_view text) override;
    [[nodiscard]] std::optional<std::string> find(std::string_view reference) override;

private:
    struct kept {
        std::string reference;
        std::string text;
    };
    spill_limits limits_;
    std::mutex mutex_;
    std::deque<kept> texts_;  // oldest first
    std::size_t bytes_ = 0;
    std::uint64_t count_ = 0;
};

/** Keeps texts in files of a directory, which it makes and which is its own; what an earlier process left there stays.
 *
 *  Writing blocks the loop for a moment. @par Errors   `errc::invalid_configuration` if a file cannot be made. */
class directory_spill_store final : public spill_store {
public:
    explicit directory_spill_store(std::filesystem::path directory, spill_limits limits = {});
    [[nodiscard]] std::string put(std::string_view text) override;
    [[nodiscard]] std::optional<std::string> find(std::string_view reference) override;

private:
    struct kept {
        std::string reference;
        std::size_t size;
    };
    [[nodiscard]] std::filesystem::path file_of(std::string_view reference) const;

    std::filesystem::path directory_;
    spill_limits limits_;
    std::mutex mutex_;
    std::deque<kept> texts_;
    std::size_t bytes_ = 0;
    std::uint64_t count_ = 0;
};

/** Adds the tool `read_result`, with which a model reads on in what was spilled, piece by piece. */
void add_spill_reader(tool_set& tools, std::shared_ptr<spill_store> store);

}  // namespace weft
