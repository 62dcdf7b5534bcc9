#include "cassette_difference.hpp"

#include "cassette_request.hpp"

#include <weft/base/json/json_text.hpp>
#include <weft/base/text/json_path.hpp>
#include <weft/base/utf8.hpp>

#include <algorithm>

namespace weft::net_detail {

namespace {

constexpr std::size_t shown_bytes_max = 60;

std::string shortened(const std::string& text)
{
    if (text.size() <= shown_bytes_max) return text;
    return std::string{truncated_utf8(text, shown_bytes_max)} + "…";
}

std::string shown_value(const boost::json::value* value)
{
    return value ? shortened(to_json_text(*value)) : "nothing";
}

std::string_view name_in(const boost::json::key_value_pair& member) noexcept { return member.key(); }

/** Counts the places in which two JSON values differ, and describes the first. */
class json_comparison {
public:
    /** A null pointer stands for nothing. Recursion ends where the values do: the reader bounds their depth. */
    void compare(const boost::json::value* recorded, const boost::json::value* asked, const json_path& path)
    {
        if (recorded && asked && recorded->is_object() && asked->is_object())
            return compare_objects(recorded->get_object(), asked->get_object(), path);
        if (recorded && asked && recorded->is_array() && asked->is_array())
            return compare_arrays(recorded->get_array(), asked->get_array(), path);
        if (recorded && asked && *recorded == *asked) return;
        if (found.count++ == 0)
            found.text = "differs at " + path.text() + ": " + shown_value(recorded) + " is recorded, " +
                         shown_value(asked) + " is asked";
    }

    request_difference found;

private:
    void compare_objects(const boost::json::object& recorded, const boost::json::object& asked, const json_path& path)
    {
        for (const auto& member : asked)
            compare(recorded.if_contains(member.key()), &member.value(), json_path{path, name_in(member)});
        for (const auto& member : recorded)
            if (!asked.contains(member.key()))
                compare(&member.value(), nullptr, json_path{path, name_in(member)});
    }

    void compare_arrays(const boost::json::array& recorded, const boost::json::array& asked, const json_path& path)
    {
        for (std::size_t i = 0; i < std::max(recorded.size(), asked.size()); ++i)
            compare(i < recorded.size() ? &recorded[i] : nullptr, i < asked.size() ? &asked[i] : nullptr,
                    json_path{path, i});
    }
};

const boost::json::value* json_body_of(const recorded_request& request) noexcept
{
    return request.body && request.body->json ? &*request.body->json : nullptr;
}

}  // namespace

request_difference difference_between(const recorded_request& recorded, const recorded_request& asked)
{
    constexpr std::size_t far = 1'000'000;  // further away than any other body
    if (recorded.method != asked.method || recorded.url != asked.url)
        return {far, "is " + recorded.method + " " + shortened(recorded.url)};
    const boost::json::value* const of_recorded = json_body_of(recorded);
    const boost::json::value* const of_asked = json_body_of(asked);
    if (!of_recorded || !of_asked)
        return {is_same_request(recorded, asked) ? 0 : far / 2, "has another body, and not both are JSON"};
    json_comparison comparison;
    comparison.compare(of_recorded, of_asked, json_path{});
    return comparison.found;
}

}  // namespace weft::net_detail
