#include <weft/graph/spec_places.hpp>

#include "json_outline.hpp"

namespace weft {

spec_places::spec_places(std::string_view text) : text_{text}, outline_{std::make_unique<const json_outline>(text)} {}

spec_places::~spec_places() = default;

text_position spec_places::of(const json_path& at) const { return position_in(text_, outline_->value_at(at)); }

}  // namespace weft
