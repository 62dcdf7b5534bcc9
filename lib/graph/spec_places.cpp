#include <weft/graph/spec_places.hpp>

#include "json_outline.hpp"

namespace weft {

spec_places::spec_places(std::string_view text)
    : lines_{without_byte_order_mark(text)},
      outline_{std::make_unique<const json_outline>(without_byte_order_mark(text))}
{
}

spec_places::~spec_places() = default;

text_position spec_places::of(const json_path& at) const { return lines_.at(outline_->value_at(at)); }

}  // namespace weft
