#pragma once

#include <string_view>

/** Bodies of event streams as the Messages API sends them. */
namespace anthropic_transcripts {

inline constexpr std::string_view thinking =
    R"(event: message_start)" "\n"
    R"(data: {"type":"message_start","message":{"id":"msg_1","type":"message","role":"assistant","m)"
    R"(odel":"claude-x","content":[],"stop_reason":null,"stop_sequence":null,"usage":{"input_tokens)"
    R"(":12,"cache_creation_input_tokens":1500,"cache_read_input_tokens":0,"cache_creation":{"ephem)"
    R"(eral_5m_input_tokens":1500,"ephemeral_1h_input_tokens":0},"output_tokens":1,"service_tier":")"
    R"(standard"}}})" "\n\n"
    R"(event: content_block_start)" "\n"
    R"(data: {"type":"content_block_start","index":0,"content_block":{"type":"thinking","thinking":)"
    R"("","signature":""}})" "\n\n"
    R"(event: ping)" "\n"
    R"(data: {"type":"ping"})" "\n\n"
    R"(event: content_block_delta)" "\n"
    R"(data: {"type":"content_block_delta","index":0,"delta":{"type":"thinking_delta","thinking":"A)"
    R"( greeting."}})" "\n\n"
    R"(event: content_block_delta)" "\n"
    R"(data: {"type":"content_block_delta","index":0,"delta":{"type":"signature_delta","signature":)"
    R"("EqQBCgIYAhIM"}})" "\n\n"
    R"(event: content_block_stop)" "\n"
    R"(data: {"type":"content_block_stop","index":0})" "\n\n"
    R"(event: content_block_start)" "\n"
    R"(data: {"type":"content_block_start","index":1,"content_block":{"type":"text","text":""}})" "\n\n"
    R"(event: content_block_delta)" "\n"
    R"(data: {"type":"content_block_delta","index":1,"delta":{"type":"text_delta","text":"Hello!"}})" "\n\n"
    R"(event: content_block_stop)" "\n"
    R"(data: {"type":"content_block_stop","index":1})" "\n\n"
    R"(event: message_delta)" "\n"
    R"(data: {"type":"message_delta","delta":{"stop_reason":"end_turn","stop_sequence":null},"usage)"
    R"(":{"input_tokens":12,"cache_creation_input_tokens":1500,"cache_read_input_tokens":0,"output_)"
    R"(tokens":25}})" "\n\n"
    R"(event: message_stop)" "\n"
    R"(data: {"type":"message_stop"})" "\n\n";

inline constexpr std::string_view parallel_tool_calls =
    R"(event: message_start)" "\n"
    R"(data: {"type":"message_start","message":{"id":"msg_2","type":"message","role":"assistant","m)"
    R"(odel":"claude-x","content":[],"stop_reason":null,"stop_sequence":null,"usage":{"input_tokens)"
    R"(":400,"output_tokens":3}}})" "\n\n"
    R"(event: content_block_start)" "\n"
    R"(data: {"type":"content_block_start","index":0,"content_block":{"type":"text","text":""}})" "\n\n"
    R"(event: content_block_delta)" "\n"
    R"(data: {"type":"content_block_delta","index":0,"delta":{"type":"text_delta","text":"Let me ad)"
    R"(d."}})" "\n\n"
    R"(event: content_block_stop)" "\n"
    R"(data: {"type":"content_block_stop","index":0})" "\n\n"
    R"(event: content_block_start)" "\n"
    R"(data: {"type":"content_block_start","index":1,"content_block":{"type":"tool_use","id":"toolu)"
    R"(_a","name":"add","input":{}}})" "\n\n"
    R"(event: content_block_delta)" "\n"
    R"(data: {"type":"content_block_delta","index":1,"delta":{"type":"input_json_delta","partial_js)"
    R"(on":""}})" "\n\n"
    R"(event: content_block_delta)" "\n"
    R"(data: {"type":"content_block_delta","index":1,"delta":{"type":"input_json_delta","partial_js)"
    R"(on":"{\"x\": 1, \"y"}})" "\n\n"
    R"(event: content_block_delta)" "\n"
    R"(data: {"type":"content_block_delta","index":1,"delta":{"type":"input_json_delta","partial_js)"
    R"(on":"\": 2}"}})" "\n\n"
    R"(event: content_block_stop)" "\n"
    R"(data: {"type":"content_block_stop","index":1})" "\n\n"
    R"(event: content_block_start)" "\n"
    R"(data: {"type":"content_block_start","index":2,"content_block":{"type":"tool_use","id":"toolu)"
    R"(_b","name":"now","input":{}}})" "\n\n"
    R"(event: content_block_delta)" "\n"
    R"(data: {"type":"content_block_delta","index":2,"delta":{"type":"input_json_delta","partial_js)"
    R"(on":""}})" "\n\n"
    R"(event: content_block_stop)" "\n"
    R"(data: {"type":"content_block_stop","index":2})" "\n\n"
    R"(event: message_delta)" "\n"
    R"(data: {"type":"message_delta","delta":{"stop_reason":"tool_use","stop_sequence":null},"usage)"
    R"(":{"output_tokens":80}})" "\n\n"
    R"(event: message_stop)" "\n"
    R"(data: {"type":"message_stop"})" "\n\n";

inline constexpr std::string_view error_first =
    R"(event: error)" "\n"
    R"(data: {"type":"error","error":{"type":"overloaded_error","message":"Overloaded"},"request_id)"
    R"(":"req_1"})" "\n\n";

inline constexpr std::string_view error_in_the_middle =
    R"(event: message_start)" "\n"
    R"(data: {"type":"message_start","message":{"id":"msg_3","type":"message","role":"assistant","m)"
    R"(odel":"claude-x","content":[],"stop_reason":null,"stop_sequence":null,"usage":{"input_tokens)"
    R"(":9,"output_tokens":1}}})" "\n\n"
    R"(event: content_block_start)" "\n"
    R"(data: {"type":"content_block_start","index":0,"content_block":{"type":"text","text":""}})" "\n\n"
    R"(event: content_block_delta)" "\n"
    R"(data: {"type":"content_block_delta","index":0,"delta":{"type":"text_delta","text":"The ans"})"
    R"(})" "\n\n"
    R"(event: error)" "\n"
    R"(data: {"type":"error","error":{"type":"api_error","message":"Internal server error"},"reques)"
    R"(t_id":"req_2"})" "\n\n";

inline constexpr std::string_view truncated =
    R"(event: message_start)" "\n"
    R"(data: {"type":"message_start","message":{"id":"msg_4","type":"message","role":"assistant","m)"
    R"(odel":"claude-x","content":[],"stop_reason":null,"stop_sequence":null,"usage":{"input_tokens)"
    R"(":9,"output_tokens":1}}})" "\n\n"
    R"(event: content_block_start)" "\n"
    R"(data: {"type":"content_block_start","index":0,"content_block":{"type":"tool_use","id":"toolu)"
    R"(_a","name":"pay","input":{}}})" "\n\n"
    R"(event: content_block_delta)" "\n"
    R"(data: {"type":"content_block_delta","index":0,"delta":{"type":"input_json_delta","partial_js)"
    R"(on":"{\"amount\": 10}"}})" "\n\n"
    R"(event: content_block_st)";

}  // namespace anthropic_transcripts
