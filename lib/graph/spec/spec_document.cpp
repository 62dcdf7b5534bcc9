#include "spec_document.hpp"

#include "graph/document/json_outline.hpp"
#include "graph/document/yaml_document.hpp"

#include <weft/base/text/ascii_text.hpp>
#include <weft/graph/spec/spec_reading.hpp>

#include <algorithm>
#include <cmath>
#include <utility>

namespace weft::spec_detail {

namespace {

std::size_t members_in(const boost::json::value& value)
{
    std::size_t count = 0;
    if (const boost::json::object* const object = value.if_object()) {
        count = object->size();
        for (const auto& member : *object) count += members_in(member.value());
    } else if (const boost::json::array* const array = value.if_array()) {
        for (const boost::json::value& item : *array) count += members_in(item);
    }
    return count;
}

std::string too_large(std::size_t bytes_max, bool is_yaml)
{
    return "the text has more than " + std::to_string(bytes_max) + " bytes: divide the graph into several files" +
           (is_yaml ? ", or write it as JSON" : "");
}

}  // namespace

spec_document::spec_document(std::string file, graph_file_format format, std::string_view text, mistake_list& all)
    : file_{std::move(file)}, format_{format}, bytes_{text.size()}, text_{without_byte_order_mark(text)}, all_{all}
{
    if (format_ == graph_file_format::by_name) format_ = format_of_file(file_);
}

std::optional<graph_spec> spec_document::read(std::size_t bytes_max)
{
    const bool is_yaml = format_ == graph_file_format::yaml;
    const std::size_t limit = is_yaml ? std::min(bytes_max, yaml_bytes_max) : bytes_max;
    if (bytes_ > limit) {
        refuse({}, too_large(limit, is_yaml));
        return std::nullopt;
    }
    std::optional<boost::json::value> parsed = parse();
    if (!parsed) return std::nullopt;
    const json_path whole;
    refuse_endless_numbers(*parsed, whole);
    boost::json::object* const object = parsed->if_object();
    if (!object) {
        (void)read_object(*parsed, whole, *this);
        return std::nullopt;
    }
    if (const boost::json::value* const schema = object->if_contains("$schema"); schema && schema->is_string())
        object->erase("$schema");  // for editors
    graph_spec result;
    read_structure(result, *object, whole, *this);
    return result;
}

std::optional<boost::json::value> spec_document::parse()
{
    if (text_.starts_with("\xff\xfe") || text_.starts_with("\xfe\xff")) {
        refuse({}, "the text is UTF-16: save it as UTF-8");
        return std::nullopt;
    }
    return format_ == graph_file_format::yaml ? parse_as_yaml() : parse_as_json();
}

std::optional<boost::json::value> spec_document::parse_as_json()
{
    try {
        boost::json::value parsed = parse_json(text_);
        add_repeated_members(parsed);
        return parsed;
    } catch (const json_syntax_error& e) {
        const bool is_object = trimmed(text_).starts_with('{');
        refuse(e.position(), "this is no JSON: " + e.detail() +
                                 (is_object ? "" : "; call a YAML file .yaml or .yml"));
        return std::nullopt;
    }
}

std::optional<boost::json::value> spec_document::parse_as_yaml()
{
    const std::size_t left = all_.max - std::min(all_.count, all_.max);
    yaml_document read = read_yaml(text_, left);
    if (read.mistakes.count > 0) has_all_names_ = false;
    for (yaml_mistake& each : read.mistakes.list) add_at(each.offset, std::move(each.path), std::move(each.text));
    all_.count += read.mistakes.count;
    outline_ = std::move(read.where);
    return std::move(read.value);
}

/** A number such as 1e999 is read as infinity, which nothing that is written as JSON can hold. */
void spec_document::refuse_endless_numbers(boost::json::value& in, const json_path& at)
{
    if (double* const number = in.if_double(); number && !std::isfinite(*number)) {
        add(at, std::isnan(*number) ? "'.nan' is no number here"
                                    : "the number is too large: the largest is 1.7976931348623157e308");
        *number = 0;  // so that it is said once
    } else if (boost::json::array* const list = in.if_array()) {
        for (std::size_t i = 0; i < list->size(); ++i) refuse_endless_numbers((*list)[i], {at, i});
    } else if (boost::json::object* const object = in.if_object()) {
        for (boost::json::key_value_pair& member : *object)
            refuse_endless_numbers(member.value(), {at, std::string_view{member.key()}});
    }
}

/** Adds a mistake of the whole text. */
void spec_document::refuse(text_position at, std::string why)
{
    if (++all_.count <= all_.max) all_.mistakes.push_back({file_, at.line, at.column, "$", std::move(why)});
}

void spec_document::add(const json_path& at, std::string text)
{
    note_shape(at);
    if (++all_.count > all_.max) return;
    add_at(outline().value_at(at), at.text(), std::move(text));
}

void spec_document::add_at_name(const json_path& at, std::string text)
{
    note_shape(at);
    if (++all_.count > all_.max) return;
    add_at(outline().name_at(at), at.text(), std::move(text));
}

/** Mistakes in the members of the graph itself, in a whole node or key, or in its name hide names. */
void spec_document::note_shape(const json_path& at)
{
    if (at.depth() <= 2) has_all_names_ = false;
    if (at.depth() == 3 && at.steps().back().name == "name") has_all_names_ = false;
}

const document_outline& spec_document::outline()
{
    if (!outline_) outline_ = outline_of_json(text_).where;
    return *outline_;
}

void spec_document::add_at(std::size_t offset, std::string path, std::string text)
{
    if (!lines_) lines_.emplace(text_);
    const text_position position = lines_->at(offset);
    all_.mistakes.push_back({file_, position.line, position.column, std::move(path), std::move(text)});
}

/** JSON leaves open which of two members of one name counts, so people would not see that one is lost. */
void spec_document::add_repeated_members(const boost::json::value& parsed)
{
    if (count_members(text_) == members_in(parsed)) return;
    json_outline found = outline_of_json(text_);
    for (const json_outline::repeated_member& member : found.repeated) {
        has_all_names_ = false;
        if (++all_.count > all_.max) continue;
        add_at(member.offset, member.path, "there is a member '" + member.name + "' already: keep one");
    }
    outline_ = std::move(found.where);
}

}  // namespace weft::spec_detail
