#pragma once

#include "rules.hpp"

#include <cstddef>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace weft_tidy {

/** The floors and rooms that cmake/WeftFloors.cmake lists, and where each file of the project lies in them. */
class house {
public:
    /** Where a file lies: its floor, and its room by the place in the floor's list, bottom first. */
    struct place {
        std::string floor;
        std::size_t room = 0;
    };

    explicit house(const std::vector<source_text>& project);

    /** Nothing for a floor that is not listed. */
    [[nodiscard]] std::optional<int> number_of(const std::string& floor) const;

    /** The place of a file of include/weft/, lib/ or cli/. A header at the root of a floor lies in the room of its
     *  source; without one, in the highest room that it includes.
     *
     *  @return   Nothing for other files, and for floors and rooms that are not listed. */
    [[nodiscard]] std::optional<place> place_of(std::string_view path) const;

    [[nodiscard]] const std::string& room_name(const place& where) const;

private:
    struct floor_plan {
        int number = 0;
        std::vector<std::string> rooms;
    };

    void read_plan(const source_text& list);
    [[nodiscard]] std::optional<std::size_t> room_of(const std::string& floor, const std::string& folder) const;
    [[nodiscard]] std::size_t room_of_front_door(const std::string& floor, const std::string& path) const;

    std::map<std::string, floor_plan> floors_;
    std::map<std::string, const source_text*, std::less<>> headers_;  // by path, those of include/weft
    std::map<std::string, std::string> source_folders_;               // "floor/name" of sources below lib/ -> room
};

/** Include arrows point down: from a floor to a lower one, and within a floor to a room that is listed before. Internal
 *  headers are for their own floor: "<floor>/<room>/x.hpp", or "x.hpp" in the same room. */
void check_floors(const source_text& source, const house& plan, mistakes& found);

/** A folder holds at most 40 files. */
void check_folders(const std::vector<source_text>& project, mistakes& found);

}  // namespace weft_tidy
