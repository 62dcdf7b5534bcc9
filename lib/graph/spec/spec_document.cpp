#include "spec_document.hpp"

#include <weft/graph/spec/spec_reading.hpp>

#include <algorithm>
#include <cmath>
#include <utility>

namespace weft::spec_detail {

spec_document::spec_document(std::string file, graph_file_format format, std::string_view text, std::size_t bytes_max,
                             mistake_list& all)
    : file_{std::move(file)},
      all_{all},
      document_{text, format == graph_file_format::by_name ? format_of_file(file_) : format,
                {bytes_max, all.max - std::min(all.count, all.max)}},
      has_all_names_{document_.mistakes().count() == 0}
{
    for (const document_mistake& each : document_.mistakes().list())
        all_.mistakes.push_back({file_, each.at.line, each.at.column, each.path, each.text});
    all_.count += document_.mistakes().count();
}

std::optional<graph_spec> spec_document::take_spec()
{
    std::optional<boost::json::value>& value = document_.value();
    if (!value) return std::nullopt;
    const json_path whole;
    refuse_endless_numbers(*value, whole);
    boost::json::object* const object = value->if_object();
    if (!object) {
        (void)read_object(*value, whole, *this);
        return std::nullopt;
    }
    if (const boost::json::value* const schema = object->if_contains("$schema"); schema && schema->is_string())
        object->erase("$schema");  // for editors
    graph_spec result;
    read_structure(result, *object, whole, *this);
    value.reset();  // a large file need not be in memory twice while its graph is made
    return result;
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

void spec_document::add(const json_path& at, std::string text)
{
    note_shape(at);
    if (++all_.count > all_.max) return;
    const text_position place = document_.position_of(at);
    all_.mistakes.push_back({file_, place.line, place.column, at.text(), std::move(text)});
}

void spec_document::add_at_name(const json_path& at, std::string text)
{
    note_shape(at);
    if (++all_.count > all_.max) return;
    const text_position place = document_.position_of_name(at);
    all_.mistakes.push_back({file_, place.line, place.column, at.text(), std::move(text)});
}

bool spec_document::has_any_in(const json_path& at) const
{
    // The list has at most `max` mistakes, and this is asked only where a further one would be added.
    const std::string around = at.text();
    return std::any_of(all_.mistakes.begin(), all_.mistakes.end(), [&](const spec_mistake& each) {
        const std::string_view rest = std::string_view{each.path}.substr(std::min(around.size(), each.path.size()));
        return each.file == file_ && each.path.starts_with(around) &&
               (rest.empty() || rest.front() == '.' || rest.front() == '[');
    });
}

/** Mistakes in the members of the graph itself, in a whole node or key, or in its name hide names. */
void spec_document::note_shape(const json_path& at)
{
    if (at.depth() > 3) return;
    const auto steps = at.steps();
    const bool is_of_names = steps.empty() || steps[0].name == "nodes" || steps[0].name == "state";
    if (at.depth() <= 1 || (is_of_names && at.depth() == 2)) has_all_names_ = false;
    if (is_of_names && at.depth() == 3 && steps.back().name == "name") has_all_names_ = false;
}

}  // namespace weft::spec_detail
