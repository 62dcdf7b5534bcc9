#pragma once

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace weft {

/** What an attempt of a node has asked and done so far: it names its questions and effects, and tells whether it only
 *  waits for answers. */
class visit_places {
public:
    explicit visit_places(std::string address) : address_{std::move(address)} {}

    /** The address of the visit, from the outermost graph on. */
    [[nodiscard]] const std::string& address() const noexcept { return address_; }
    /** The address of the next question or effect of that name. */
    [[nodiscard]] std::string next(std::string_view name);

    [[nodiscard]] bool only_waits() const noexcept { return questions > 0 && effects == 0; }

    std::uint32_t questions = 0;  ///< That are open, and graphs inside that only wait for answers.
    std::uint32_t effects = 0;    ///< That are under way.
    bool is_parked = false;       ///< As the scheduler knows it.
    bool is_dropped = false;      ///< It is being taken down for a pause: its questions stay open.
    std::optional<std::chrono::nanoseconds> timeout_left;  ///< Of the node, while it is parked.

private:
    std::string address_;
    std::vector<std::pair<std::string, std::uint32_t>> counts_;
};

}  // namespace weft
