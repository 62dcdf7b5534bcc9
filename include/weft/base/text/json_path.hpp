#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace weft {

/** Where one is inside a JSON value, e.g. `$.branches[3].name`.
 *
 *  A step on the stack of the function that descends: making one costs nothing, only `text` builds
 *  the string.
 *
 *  @par Lifetimes   The parent and the member's name must outlive it.
 */
class json_path {
public:
    /** The whole value, `$`. */
    json_path() noexcept = default;

    /** The member `name` of the object at `parent`. */
    json_path(const json_path& parent, std::string_view name) noexcept
        : parent_{&parent}, name_{name}, depth_{parent.depth_ + 1}
    {
    }

    /** The item at `index` of the array at `parent`. */
    json_path(const json_path& parent, std::size_t index) noexcept
        : parent_{&parent}, index_{index}, depth_{parent.depth_ + 1}
    {
    }

    json_path(const json_path&) = delete;
    json_path& operator=(const json_path&) = delete;

    /** How many steps it is from the whole value. */
    [[nodiscard]] std::size_t depth() const noexcept { return depth_; }

    [[nodiscard]] std::string text() const;

    /** One step: into the member `name`, or to the item at `index`. */
    struct step {
        static constexpr std::size_t no_index = static_cast<std::size_t>(-1);
        std::string_view name;
        std::size_t index = no_index;
    };
    /** The steps from the whole value to here. */
    [[nodiscard]] std::vector<step> steps() const;

private:
    static constexpr std::size_t no_index = step::no_index;

    void append_step(std::string& text) const;

    const json_path* parent_ = nullptr;
    std::string_view name_;
    std::size_t index_ = no_index;
    std::size_t depth_ = 0;
};

}  // namespace weft
