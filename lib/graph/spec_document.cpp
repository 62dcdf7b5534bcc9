#include "spec_document.hpp"

#include <weft/graph/spec_reading.hpp>

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

}  // namespace

std::optional<graph_spec> spec_document::read()
{
    if (text_.starts_with("\xff\xfe") || text_.starts_with("\xfe\xff")) {
        ++all_.count;
        all_.mistakes.push_back({file_, 1, 1, "$", "the text is UTF-16: save it as UTF-8"});
        return std::nullopt;
    }
    boost::json::value parsed;
    try {
        parsed = parse_json(text_);
    } catch (const json_syntax_error& e) {
        ++all_.count;
        all_.mistakes.push_back({file_, e.position().line, e.position().column, "$", "this is no JSON: " + e.detail()});
        return std::nullopt;
    }
    add_repeated_members(parsed);
    const json_path whole;
    boost::json::object* const object = parsed.if_object();
    if (!object) {
        (void)read_object(parsed, whole, *this);
        return std::nullopt;
    }
    if (const boost::json::value* const schema = object->if_contains("$schema"); schema && schema->is_string())
        object->erase("$schema");  // for editors
    graph_spec result;
    read_structure(result, *object, whole, *this);
    return result;
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

const json_outline& spec_document::outline()
{
    if (!outline_) outline_.emplace(text_);
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
    for (const json_outline::repeated_member& member : outline().repeated()) {
        has_all_names_ = false;
        if (++all_.count > all_.max) continue;
        add_at(member.offset, member.path, "there is a member '" + member.name + "' already: keep one");
    }
}

}  // namespace weft::spec_detail
