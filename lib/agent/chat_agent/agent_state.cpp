#include <weft/agent/chat_agent/agent_state.hpp>

namespace weft {

template struct compiled_value<message_times>;
template struct compiled_value<input_diagnostics>;
template struct compiled_value<agent_status>;
template struct compiled_value<token_estimator>;
template struct compiled_value<std::vector<agent_workflow>>;
template struct compiled_key<message_times>;
template struct compiled_key<input_diagnostics>;
template struct compiled_key<agent_status>;
template struct compiled_key<token_estimator>;
template struct compiled_key<std::vector<agent_workflow>, append>;

}  // namespace weft
