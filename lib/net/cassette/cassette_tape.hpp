#pragma once

#include "recorded_exchange.hpp"

#include <weft/base/error.hpp>
#include <weft/net/cassette.hpp>

#include <cstddef>
#include <deque>
#include <filesystem>
#include <memory>
#include <mutex>
#include <unordered_map>
#include <vector>

namespace weft::net_detail {

/** What the copies of a `cassette` share: the exchanges, and which of them were given out.
 *
 *  @par Thread safety   All operations from any OS thread; they are needed twice for each exchange.
 */
class cassette_tape {
public:
    /** @par Errors   As the constructor of `cassette`. */
    cassette_tape(std::filesystem::path file, cassette_mode mode, cassette_options options);
    cassette_tape(const cassette_tape&) = delete;
    cassette_tape& operator=(const cassette_tape&) = delete;
    /** Saves what was not saved; a failure goes to `std::clog`. */
    ~cassette_tape();

    [[nodiscard]] cassette_mode mode() const noexcept { return mode_; }
    [[nodiscard]] const cassette_options& options() const noexcept { return options_; }

    /** The next exchange for a request, which is given out by this; null if there is none left. */
    [[nodiscard]] std::shared_ptr<const recorded_exchange> take(const recorded_request& asked);
    /** What to say about a request that nothing is left for. */
    [[nodiscard]] error miss(const recorded_request& asked, const std::string& endpoint) const;

    /** A place for an exchange that begins now. */
    [[nodiscard]] std::size_t reserve();
    /** Fills the place. */
    void put(std::size_t place, recorded_exchange exchange);
    /** Counts what is going to be written. @par Errors   `errc::limit_reached` if it is too much; where: the file. */
    void count_bytes(std::size_t size);

    void save();
    [[nodiscard]] std::size_t size() const;
    [[nodiscard]] std::size_t unused() const;

private:
    struct place {
        std::shared_ptr<const recorded_exchange> exchange;  // null while it is under way
        bool is_used = false;
    };

    const std::filesystem::path file_;
    const cassette_mode mode_;
    const cassette_options options_;
    mutable std::mutex mutex_;
    std::vector<place> places_;
    std::unordered_map<std::size_t, std::deque<std::size_t>> unused_;  // places by the hash of the request, in order
    std::size_t bytes_ = 0;
    bool is_changed_ = false;
};

}  // namespace weft::net_detail
