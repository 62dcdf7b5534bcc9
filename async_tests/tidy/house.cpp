#include "house.hpp"

#include <algorithm>
#include <regex>
#include <sstream>

namespace weft_tidy {

namespace {

using std::string_literals::operator""s;

constexpr std::size_t files_max = 40;

/** A path below one of the roots of the product, in its parts. */
struct product_path {
    std::string floor;
    std::string folder;  // of the floor; empty at its root
    std::string name;    // of the file, without its ending
    bool is_public = false;
};

std::optional<product_path> parts_of(std::string_view path)
{
    product_path parts;
    const auto after = [&](std::string_view root) {
        if (!path.starts_with(root)) return false;
        path.remove_prefix(root.size());
        return true;
    };
    parts.is_public = after("include/weft/");
    if (!parts.is_public && !after("lib/")) {
        if (!path.starts_with("cli/")) return std::nullopt;
    }
    const std::size_t floor_end = path.find('/');
    if (floor_end == std::string_view::npos) return std::nullopt;
    parts.floor = path.substr(0, floor_end);
    const std::size_t file = path.rfind('/') + 1;
    if (file > floor_end + 1) parts.folder = path.substr(floor_end + 1, file - floor_end - 2);
    parts.name = path.substr(file, path.rfind('.') - file);
    return parts;
}

// What stands between the brackets or quotes of an include line, with the opening one.
std::optional<std::string> included(const std::string& line)
{
    if (!line.starts_with("#include ")) return std::nullopt;
    return line.substr(9, line.find_first_of(">\"", 10) - 9);
}

// The path of what a file of this floor includes, if it is ours and spelled as it should be.
std::optional<std::string> target_of(const source_text& source, const std::string& file)
{
    if (file.starts_with("<weft/")) return "include/" + file.substr(1);
    if (!file.starts_with('"')) return std::nullopt;
    const std::string name = file.substr(1);
    if (name.find('/') == std::string::npos) return source.path.substr(0, source.path.rfind('/') + 1) + name;
    return (source.is_under("cli/") ? "cli/"s : "lib/"s) + name;
}

void check_arrow(const source_text& source, std::size_t line, const std::string& file, const house& plan,
                 mistakes& found)
{
    const std::optional<std::string> target = target_of(source, file);
    if (!target) return;
    const bool is_public = target->starts_with("include/");
    if (is_public && std::count(target->begin(), target->end(), '/') < 3)
        return refuse(found, source, line, "includes the header of everything: name what is needed");
    const std::optional<product_path> parts = parts_of(*target);
    if (!parts || !plan.number_of(parts->floor))
        return refuse(found, source, line, "includes what is on no floor: see cmake/WeftFloors.cmake");
    const std::optional<house::place> from = plan.place_of(source.path);
    if (!from) {
        if (parts->floor == "testing")
            refuse(found, source, line, "only tests, samples and benchmarks include testing");
        return;
    }
    if (!is_public && source.is_under("include/"))
        return refuse(found, source, line, "a public header includes an internal one");
    if (from->floor != parts->floor) {
        if (!is_public)
            refuse(found, source, line, "reaches into another floor: include a header of include/weft instead");
        if (*plan.number_of(parts->floor) >= *plan.number_of(from->floor))
            refuse(found, source, line,
                   from->floor + " must not include " + parts->floor +
                       ": an include arrow points down, never sideways, never up");
        return;
    }
    const std::optional<house::place> to = plan.place_of(*target);
    if (!to) return refuse(found, source, line, "includes what lies in no room of floor '" + from->floor + "'");
    if (to->room > from->room)
        refuse(found, source, line,
               "room " + plan.room_name(*from) + " must not include room " + plan.room_name(*to) +
                   ", which stands above it in cmake/WeftFloors.cmake");
}

}  // namespace

house::house(const std::vector<source_text>& project)
{
    for (const source_text& source : project) {
        if (source.path == "cmake/WeftFloors.cmake") read_plan(source);
        if (source.is_under("include/weft/")) headers_[source.path] = &source;
        const std::optional<product_path> parts = parts_of(source.path);
        if (parts && source.is_under("lib/") && source.path.ends_with(".cpp"))
            source_folders_[parts->floor + "/" + parts->name] = parts->folder;
    }
}

void house::read_plan(const source_text& list)
{
    std::string text;
    for (const std::string& line : list.lines)
        if (!line.starts_with('#')) text += line + "\n";
    static const std::regex entry{R"(^weft_floor\((\w+) (\d+)(?: ROOMS ([^)]*))?\))", std::regex::multiline};
    for (std::sregex_iterator at{text.begin(), text.end(), entry}; at != std::sregex_iterator{}; ++at) {
        floor_plan& plan = floors_[at->str(1)];
        plan.number = std::stoi(at->str(2));
        std::istringstream rooms{at->str(3)};
        for (std::string room; rooms >> room;) plan.rooms.push_back(room == "." ? ""s : room);
        if (plan.rooms.empty()) plan.rooms.emplace_back();
    }
}

std::optional<int> house::number_of(const std::string& floor) const
{
    const auto found = floors_.find(floor);
    return found == floors_.end() ? std::nullopt : std::optional{found->second.number};
}

std::optional<std::size_t> house::room_of(const std::string& floor, const std::string& folder) const
{
    const std::vector<std::string>& rooms = floors_.at(floor).rooms;
    const auto found = std::find(rooms.begin(), rooms.end(), folder);
    if (found == rooms.end()) return std::nullopt;
    return static_cast<std::size_t>(found - rooms.begin());
}

std::size_t house::room_of_front_door(const std::string& floor, const std::string& path) const
{
    const auto header = headers_.find(path);
    std::size_t highest = 0;
    if (header == headers_.end()) return highest;
    for (const std::string& line : header->second->lines) {
        const std::string file = included(line).value_or("");
        if (!file.starts_with("<weft/" + floor + "/")) continue;
        if (const auto place = place_of("include/" + file.substr(1))) highest = std::max(highest, place->room);
    }
    return highest;
}

std::optional<house::place> house::place_of(std::string_view path) const
{
    const std::optional<product_path> parts = parts_of(path);
    if (!parts || !floors_.contains(parts->floor)) return std::nullopt;
    if (const auto room = room_of(parts->floor, parts->folder)) return place{parts->floor, *room};
    if (!parts->is_public || !parts->folder.empty()) return std::nullopt;
    const auto source = source_folders_.find(parts->floor + "/" + parts->name);
    if (source != source_folders_.end())
        if (const auto room = room_of(parts->floor, source->second)) return place{parts->floor, *room};
    return place{parts->floor, room_of_front_door(parts->floor, std::string{path})};
}

const std::string& house::room_name(const place& where) const { return floors_.at(where.floor).rooms.at(where.room); }

void check_floors(const source_text& source, const house& plan, mistakes& found)
{
    const std::optional<product_path> parts = parts_of(source.path);
    if (!parts || !source.is_cpp()) return;
    if (!plan.place_of(source.path))
        refuse(found, source, 0,
               "lies in no room of floor '" + parts->floor + "': list floor and room in cmake/WeftFloors.cmake");
    for (std::size_t i = 0; i < source.lines.size(); ++i)
        if (const auto file = included(source.lines[i])) check_arrow(source, i, *file, plan, found);
}

void check_folders(const std::vector<source_text>& project, mistakes& found)
{
    std::map<std::string, std::size_t> counts;
    for (const source_text& source : project) ++counts[source.path.substr(0, source.path.rfind('/') + 1)];
    for (const auto& [folder, count] : counts)
        if (count > files_max)
            found.push_back(folder + ": " + std::to_string(count) + " files, at most " + std::to_string(files_max) +
                            ": divide it into rooms");
}

}  // namespace weft_tidy
