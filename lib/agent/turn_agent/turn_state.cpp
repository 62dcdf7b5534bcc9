#include <weft/agent/turn_agent/turn_state.hpp>

namespace weft {

template struct compiled_value<turn_record>;
template struct compiled_value<turn_reply>;
template struct compiled_key<turn_record>;
template struct compiled_key<turn_reply>;

}  // namespace weft
