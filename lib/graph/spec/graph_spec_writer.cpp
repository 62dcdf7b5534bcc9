#include <weft/graph/graph_spec_writer.hpp>

#include <weft/graph/spec/spec_reading.hpp>

#include <boost/json/serialize.hpp>

namespace weft {

namespace {

constexpr std::size_t columns_max = 100;
constexpr std::size_t indent_size = 2;

/** A value on one line, with spaces where people read. */
void append_flat(std::string& text, const boost::json::value& value)
{
    if (const boost::json::object* const object = value.if_object()) {
        text += '{';
        for (const auto& [name, member] : *object) {
            if (text.back() != '{') text += ", ";
            text.append(boost::json::serialize(name)).append(": ");
            append_flat(text, member);
        }
        text += '}';
    } else if (const boost::json::array* const array = value.if_array()) {
        text += '[';
        bool is_first = true;
        for (const boost::json::value& item : *array) {
            if (!std::exchange(is_first, false)) text += ", ";
            append_flat(text, item);
        }
        text += ']';
    } else {
        text += boost::json::serialize(value);
    }
}

void append_pretty(std::string& text, const boost::json::value& value, std::size_t indent);

template <class Container, class Append>
void append_lines(std::string& text, const Container& items, std::size_t indent, Append append)
{
    bool is_first = true;
    for (const auto& item : items) {
        if (!std::exchange(is_first, false)) text += ',';
        text.append(1, '\n').append(indent + indent_size, ' ');
        append(item);
    }
    text.append(1, '\n').append(indent, ' ');
}

/** A value on as many lines as it needs, beginning where the text ends. */
void append_pretty(std::string& text, const boost::json::value& value, std::size_t indent)
{
    const std::size_t begin = text.size();
    append_flat(text, value);
    const std::size_t in_line = begin - (text.rfind('\n', begin == 0 ? 0 : begin - 1) + 1);
    if ((!value.is_object() && !value.is_array()) || (indent > 0 && in_line + text.size() - begin < columns_max))
        return;
    text.resize(begin);
    if (const boost::json::object* const object = value.if_object()) {
        text += '{';
        append_lines(text, *object, indent, [&](const boost::json::key_value_pair& member) {
            text.append(boost::json::serialize(member.key())).append(": ");
            append_pretty(text, member.value(), indent + indent_size);
        });
        text += '}';
    } else {
        text += '[';
        append_lines(text, value.get_array(), indent,
                     [&](const boost::json::value& item) { append_pretty(text, item, indent + indent_size); });
        text += ']';
    }
}

}  // namespace

boost::json::object to_json(const graph_spec& spec) { return spec_detail::write_structure(spec); }

std::string to_text(const graph_spec& spec)
{
    std::string text;
    append_pretty(text, to_json(spec), 0);
    return text += '\n';
}

}  // namespace weft
