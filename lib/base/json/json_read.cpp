#include <weft/base/json/json_read.hpp>

#include <weft/base/error.hpp>
#include <weft/base/utf8.hpp>

#include <boost/json/serialize.hpp>

#include <algorithm>
#include <cmath>
#include <optional>

namespace weft::json_detail {

namespace {

constexpr std::size_t quoted_bytes_max = 40;

std::string in_quotes(std::string_view text)
{
    const std::string_view beginning = truncated_utf8(text, quoted_bytes_max);
    std::string quoted =
        boost::json::serialize(boost::json::string_view{beginning.data(), beginning.size()});
    if (beginning.size() < text.size()) quoted.append("...");
    return quoted;
}

std::string counted(std::string_view noun, std::size_t count, std::string_view part)
{
    std::string text{noun};
    text.append(" of ").append(std::to_string(count)).append(" ").append(part);
    if (count != 1) text.append("s");
    return text;
}

std::string description_of(const boost::json::value& value)
{
    switch (value.kind()) {
    case boost::json::kind::string:
        return in_quotes({value.get_string().data(), value.get_string().size()});
    case boost::json::kind::array: return counted("an array", value.get_array().size(), "item");
    case boost::json::kind::object:
        return counted("an object", value.get_object().size(), "member");
    default: return boost::json::serialize(value);
    }
}

std::string quoted_list(std::span<const char* const> names)
{
    std::string text;
    for (const char* name : names) text.append(text.empty() ? "" : ", ").append(in_quotes(name));
    return text;
}

template <class Integer>
[[noreturn]] void refuse_integer(const json_path& path, const boost::json::value& found,
                                 Integer min, Integer max)
{
    if (!found.is_number()) refuse(path, "an integer", found);
    refuse(path, "an integer from " + std::to_string(min) + " to " + std::to_string(max), found);
}

// Clients in dynamic languages write 3.0 where they mean 3. 2^63 and 2^64 are exact as double, the
// bounds below are not.
template <class Integer>
std::optional<Integer> exact_integer(double number)
{
    constexpr double end = std::is_signed_v<Integer> ? 0x1p63 : 0x1p64;
    constexpr double begin = std::is_signed_v<Integer> ? -0x1p63 : 0.0;
    if (!(number >= begin && number < end) || std::trunc(number) != number) return std::nullopt;
    return static_cast<Integer>(number);
}

template <class Integer>
std::optional<Integer> integer_in(const boost::json::value& value)
{
    if (const std::int64_t* number = value.if_int64(); number && std::in_range<Integer>(*number))
        return *number;
    if (const std::uint64_t* number = value.if_uint64(); number && std::in_range<Integer>(*number))
        return *number;
    if (const double* number = value.if_double()) return exact_integer<Integer>(*number);
    return std::nullopt;
}

}  // namespace

void refuse_because(const json_path& path, std::string_view detail)
{
    throw error{errc::unexpected_json, path.text(), std::string{detail}};
}

void refuse(const json_path& path, std::string_view what, const boost::json::value& found)
{
    refuse_because(path, "expected " + std::string{what} + ", found " + description_of(found));
}

void refuse_because_of_exception(const json_path& path)
{
    try {
        throw;
    } catch (const error& inner) {
        // Its path starts where ours ends.
        const bool has_path = inner.where().starts_with('$');
        throw error{inner.code(),
                    path.text() + (has_path ? inner.where().substr(1) : inner.where()),
                    inner.detail()};
    } catch (...) {
        refuse_because(path, text_of(std::current_exception()));
    }
}

void check_depth(const json_path& path)
{
    if (path.depth() > json_depth_max)
        refuse_because(path, "nested deeper than " + std::to_string(json_depth_max));
}

bool read_bool(const boost::json::value& from, const json_path& path)
{
    if (!from.is_bool()) refuse(path, "true or false", from);
    return from.get_bool();
}

double read_real(const boost::json::value& from, const json_path& path)
{
    if (const double* number = from.if_double()) return *number;
    if (const std::int64_t* number = from.if_int64()) return static_cast<double>(*number);
    if (const std::uint64_t* number = from.if_uint64()) return static_cast<double>(*number);
    refuse(path, "a number", from);
}

std::string read_text(const boost::json::value& from, const json_path& path)
{
    if (!from.is_string()) refuse(path, "a string", from);
    return {from.get_string().data(), from.get_string().size()};
}

const boost::json::array& read_array(const boost::json::value& from, const json_path& path)
{
    if (!from.is_array()) refuse(path, "an array", from);
    return from.get_array();
}

const boost::json::object& read_object(const boost::json::value& from, const json_path& path)
{
    if (!from.is_object()) refuse(path, "an object", from);
    return from.get_object();
}

std::int64_t read_signed(const boost::json::value& from, const json_path& path, std::int64_t min,
                         std::int64_t max)
{
    const auto number = integer_in<std::int64_t>(from);
    if (!number || *number < min || *number > max) refuse_integer(path, from, min, max);
    return *number;
}

std::uint64_t read_unsigned(const boost::json::value& from, const json_path& path,
                            std::uint64_t max)
{
    const auto number = integer_in<std::uint64_t>(from);
    if (!number || *number > max) refuse_integer(path, from, std::uint64_t{0}, max);
    return *number;
}

std::size_t read_name(const boost::json::value& from, const json_path& path,
                      std::span<const char* const> names)
{
    if (const boost::json::string* text = from.if_string()) {
        const std::string_view name{text->data(), text->size()};
        const auto found = std::find(names.begin(), names.end(), name);
        if (found != names.end()) return static_cast<std::size_t>(found - names.begin());
    }
    refuse(path, "one of " + quoted_list(names), from);
}

void refuse_unknown(const boost::json::object& object, const json_path& path,
                    std::span<const char* const> names)
{
    std::string unknown;
    for (const boost::json::key_value_pair& member : object) {
        const std::string_view name{member.key().data(), member.key().size()};
        if (std::find(names.begin(), names.end(), name) != names.end()) continue;
        unknown.append(unknown.empty() ? "" : ", ").append(in_quotes(name));
    }
    if (!unknown.empty())
        refuse_because(path, "unknown member " + unknown + "; known are " + quoted_list(names));
}

void refuse_missing(const json_path& path, std::span<const char* const> missing)
{
    refuse_because(path, "missing member " + quoted_list(missing));
}

}  // namespace weft::json_detail
