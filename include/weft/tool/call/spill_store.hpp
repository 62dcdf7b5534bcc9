#pragma once

#include <cstddef>
#include <memory>
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
    explicit memory_spill_store(spill_limits limits = {});
    ~memory_spill_store() override;
    [[nodiscard]] std::string put(std::string_view text) override;
    [[nodiscard]] std::optional<std::string> find(std::string_view reference) override;

private:
    struct shelf;
    std::unique_ptr<shelf> shelf_;
};

/** Keeps texts in files of a directory, which it makes and which is its own; what an earlier process left there stays.
 *
 *  Writing blocks the loop for a moment. @par Errors   `errc::invalid_configuration` if a file cannot be made. */
class directory_spill_store final : public spill_store {
public:
    explicit directory_spill_store(std::string directory, spill_limits limits = {});
    ~directory_spill_store() override;
    [[nodiscard]] std::string put(std::string_view text) override;
    [[nodiscard]] std::optional<std::string> find(std::string_view reference) override;

private:
    struct shelf;
    std::unique_ptr<shelf> shelf_;
};

/** Adds the tool `read_result`, with which a model reads on in what was spilled, piece by piece. */
void add_spill_reader(tool_set& tools, std::shared_ptr<spill_store> store);

}  // namespace weft
