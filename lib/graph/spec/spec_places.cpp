#include <weft/graph/spec/spec_places.hpp>

#include "graph/document/document.hpp"
#include "graph/document/json_outline.hpp"
#include "graph/document/yaml_document.hpp"

namespace weft {

namespace {

document_outline outline_of(std::string_view text, graph_file_format format)
{
    // The text was read before: what is wrong with it is known.
    document_mistakes none{text, 0};
    return format == graph_file_format::yaml ? read_yaml(text, none).where : outline_of_json(text, none);
}

}  // namespace

spec_places::spec_places(std::string_view text, graph_file_format format)
    : lines_{without_byte_order_mark(text)},
      outline_{std::make_unique<const document_outline>(outline_of(without_byte_order_mark(text), format))}
{
}

spec_places::~spec_places() = default;

text_position spec_places::of(const json_path& at) const { return lines_.at(outline_->value_at(at)); }

}  // namespace weft
