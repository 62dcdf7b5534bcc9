#pragma once

#include <weft/base/json.hpp>

#include <string_view>

namespace weft::chat_detail {

/** Reads the members of one JSON object strictly; a mistake is `errc::unexpected_json` with the path of the member.
 *  A member that is null counts as left out. */
class json_fields {
public:
    json_fields(const boost::json::value& in, const json_path& path)
        : object_{json_detail::read_object(in, path)}, path_{path}
    {
    }

    [[nodiscard]] const json_path& path() const noexcept { return path_; }

    [[nodiscard]] const boost::json::value* find(std::string_view name) const noexcept
    {
        const boost::json::value* member = object_.if_contains(name);
        return member && !member->is_null() ? member : nullptr;
    }

    template <class T>
    [[nodiscard]] T get(const char* name) const
    {
        if (!find(name)) json_detail::refuse_missing(path_, {&name, 1});
        return get_or_default<T>(name);
    }

    template <class T>
    [[nodiscard]] T get_or_default(std::string_view name) const
    {
        const boost::json::value* member = find(name);
        if (!member) return T{};
        const json_path path{path_, name};
        return json_detail::read<T>(*member, {path, json_defaults});
    }

private:
    const boost::json::object& object_;
    const json_path& path_;
};

/** Adds a text unless it is empty. */
inline void put_text(boost::json::object& out, std::string_view name, std::string_view text)
{
    if (!text.empty()) out.emplace(name, text);
}

}  // namespace weft::chat_detail
