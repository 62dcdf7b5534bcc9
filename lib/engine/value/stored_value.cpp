#include "stored_value.hpp"

#include <weft/base/error.hpp>
#include <weft/base/json.hpp>

#include <boost/json/serialize.hpp>

#include <cmath>

namespace weft::checkpoint_detail {

namespace {

void require_readable(const boost::json::value& value, const json_path& at)
{
    if (const double* const number = value.if_double(); number && !std::isfinite(*number))
        throw error{errc::unexpected_json, at.text(), "a number that is not finite"};
    if (!value.is_structured()) return;
    if (at.depth() >= json_depth_max)
        throw error{errc::unexpected_json, at.text(), "nested deeper than " + std::to_string(json_depth_max)};
    if (const boost::json::array* const list = value.if_array()) {
        for (std::size_t i = 0; i < list->size(); ++i) {
            const json_path step{at, i};
            require_readable((*list)[i], step);
        }
        return;
    }
    for (const boost::json::key_value_pair& member : value.get_object()) {
        const json_path step{at, std::string_view{member.key().data(), member.key().size()}};
        require_readable(member.value(), step);
    }
}

void write_tag(linked_writer& to, value_tag tag) { to.byte(static_cast<std::uint8_t>(tag)); }

/** @return False if it does not stand in place by itself. */
bool write_scalar(linked_writer& to, const boost::json::value& value)
{
    switch (value.kind()) {
    case boost::json::kind::null: write_tag(to, value_tag::null); return true;
    case boost::json::kind::bool_: write_tag(to, value.get_bool() ? value_tag::yes : value_tag::no); return true;
    case boost::json::kind::int64:
        write_tag(to, value_tag::integer);
        to.signed_number(value.get_int64());
        return true;
    case boost::json::kind::uint64:
        write_tag(to, value_tag::large);
        to.number(value.get_uint64());
        return true;
    case boost::json::kind::double_:
        write_tag(to, value_tag::real);
        to.real(value.get_double());
        return true;
    case boost::json::kind::string:
        if (value.get_string().size() > value_in_place_max) return false;
        write_tag(to, value_tag::text);
        to.text(value.get_string());
        return true;
    case boost::json::kind::array:
    case boost::json::kind::object: return false;
    }
    return false;
}

}  // namespace

std::string stored_text_of(const boost::json::value& value)
{
    const json_path whole;
    require_readable(value, whole);
    return boost::json::serialize(value);
}

std::optional<content_hash> write_json(linked_writer& to, const boost::json::value& value, blob_sink& sink)
{
    if (value.is_double() && !std::isfinite(value.get_double())) (void)stored_text_of(value);
    if (write_scalar(to, value)) return std::nullopt;
    std::string text = stored_text_of(value);
    if (text.size() <= value_in_place_max) {
        write_tag(to, value_tag::json);
        to.text(text);
        return std::nullopt;
    }
    write_tag(to, value_tag::blob);
    const content_hash hash = sink.add(std::move(text));
    to.link(hash);
    return hash;
}

value_form read_form(linked_reader& from)
{
    value_form form;
    const std::uint8_t tag = from.byte();
    if (tag > static_cast<std::uint8_t>(value_tag::list)) from.refuse("a value has an unknown form");
    form.tag = static_cast<value_tag>(tag);
    switch (form.tag) {
    case value_tag::nothing:
    case value_tag::null: break;
    case value_tag::no: form.scalar = false; break;
    case value_tag::yes: form.scalar = true; break;
    case value_tag::integer: form.scalar = from.signed_number(); break;
    case value_tag::large: form.scalar = from.number(); break;
    case value_tag::real: form.scalar = from.real(); break;
    case value_tag::text: form.scalar = boost::json::string_view{from.text()}; break;
    case value_tag::json: {
        const std::string_view text = from.text();
        try {
            form.scalar = parse_own_json(text);
        } catch (const error& wrong) {
            from.refuse("a value is no JSON: " + std::string{wrong.what()});
        }
        break;
    }
    case value_tag::blob: form.hash = from.link(); break;
    case value_tag::list: form.list = list_tree::read(from); break;
    }
    return form;
}

}  // namespace weft::checkpoint_detail
