#pragma once

#include <string_view>

/** Bodies of event streams as the Responses API sends them. */
namespace responses_transcripts {

inline constexpr std::string_view normal =
    R"(event: response.created)" "\n"
    R"(data: {"type":"response.created","sequence_number":0,"response":{"id":"resp_1",)"
    R"("object":"response","created_at":1789000000,"status":"in_progress","model":"gpt-x",)"
    R"("output":[],"usage":null,"error":null,"incomplete_details":null}})" "\n\n"
    R"(event: response.in_progress)" "\n"
    R"(data: {"type":"response.in_progress","sequence_number":1,"response":{"id":"resp_1",)"
    R"("object":"response","created_at":1789000000,"status":"in_progress","model":"gpt-x",)"
    R"("output":[],"usage":null}})" "\n\n"
    R"(event: response.output_item.added)" "\n"
    R"(data: {"type":"response.output_item.added","sequence_number":2,"output_index":0,"item":{)"
    R"("id":"rs_1","type":"reasoning","summary":[]}})" "\n\n"
    R"(event: response.reasoning_summary_part.added)" "\n"
    R"(data: {"type":"response.reasoning_summary_part.added","sequence_number":3,"item_id":"rs_1",)"
    R"("output_index":0,"summary_index":0,"part":{"type":"summary_text","text":""}})" "\n\n"
    R"(event: response.reasoning_summary_text.delta)" "\n"
    R"(data: {"type":"response.reasoning_summary_text.delta","sequence_number":4,"item_id":"rs_1",)"
    R"("output_index":0,"summary_index":0,"delta":"Greeting."})" "\n\n"
    R"(event: response.output_item.done)" "\n"
    R"(data: {"type":"response.output_item.done","sequence_number":5,"output_index":0,"item":{)"
    R"("id":"rs_1","type":"reasoning","summary":[{"type":"summary_text","text":"Greeting."}]}})" "\n\n"
    R"(event: response.output_item.added)" "\n"
    R"(data: {"type":"response.output_item.added","sequence_number":6,"output_index":1,"item":{)"
    R"("id":"msg_1","type":"message","role":"assistant","status":"in_progress","content":[]}})" "\n\n"
    R"(event: response.content_part.added)" "\n"
    R"(data: {"type":"response.content_part.added","sequence_number":7,"item_id":"msg_1",)"
    R"("output_index":1,"content_index":0,"part":{"type":"output_text","text":"","annotations":[]}})" "\n\n"
    R"(event: response.output_text.delta)" "\n"
    R"(data: {"type":"response.output_text.delta","sequence_number":8,"item_id":"msg_1",)"
    R"("output_index":1,"content_index":0,"delta":"Hello","logprobs":[]})" "\n\n"
    R"(event: response.output_text.done)" "\n"
    R"(data: {"type":"response.output_text.done","sequence_number":9,"item_id":"msg_1",)"
    R"("output_index":1,"content_index":0,"text":"Hello","logprobs":[]})" "\n\n"
    R"(event: response.output_item.done)" "\n"
    R"(data: {"type":"response.output_item.done","sequence_number":10,"output_index":1,"item":{)"
    R"("id":"msg_1","type":"message","role":"assistant","status":"completed","content":[{)"
    R"("type":"output_text","text":"Hello","annotations":[]}]}})" "\n\n"
    R"(event: response.completed)" "\n"
    R"(data: {"type":"response.completed","sequence_number":11,"response":{"id":"resp_1",)"
    R"("object":"response","created_at":1789000000,"status":"completed","model":"gpt-x","output":[{)"
    R"("id":"rs_1","type":"reasoning","summary":[{"type":"summary_text","text":"Greeting."}]},{)"
    R"("id":"msg_1","type":"message","role":"assistant","status":"completed","content":[{)"
    R"("type":"output_text","text":"Hello","annotations":[]}]}],"usage":{"input_tokens":9,)"
    R"("input_tokens_details":{"cached_tokens":0},"output_tokens":24,"output_tokens_details":{)"
    R"("reasoning_tokens":20},"total_tokens":33}}})" "\n\n";

inline constexpr std::string_view parallel_calls =
    R"(event: response.created)" "\n"
    R"(data: {"type":"response.created","sequence_number":0,"response":{"id":"resp_2",)"
    R"("object":"response","status":"in_progress","output":[]}})" "\n\n"
    R"(event: response.output_item.added)" "\n"
    R"(data: {"type":"response.output_item.added","sequence_number":1,"output_index":0,"item":{)"
    R"("id":"fc_1","type":"function_call","status":"in_progress","call_id":"call_a","name":"add",)"
    R"("arguments":""}})" "\n\n"
    R"(event: response.output_item.added)" "\n"
    R"(data: {"type":"response.output_item.added","sequence_number":2,"output_index":1,"item":{)"
    R"("id":"fc_2","type":"function_call","status":"in_progress","call_id":"call_b","name":"add",)"
    R"("arguments":""}})" "\n\n"
    R"(event: response.function_call_arguments.delta)" "\n"
    R"(data: {"type":"response.function_call_arguments.delta","sequence_number":3,"item_id":"fc_1",)"
    R"("output_index":0,"delta":"{\"x\":1}"})" "\n\n"
    R"(event: response.function_call_arguments.delta)" "\n"
    R"(data: {"type":"response.function_call_arguments.delta","sequence_number":4,"item_id":"fc_2",)"
    R"("output_index":1,"delta":"{\"x\":2}"})" "\n\n"
    R"(event: response.function_call_arguments.done)" "\n"
    R"(data: {"type":"response.function_call_arguments.done","sequence_number":5,"item_id":"fc_1",)"
    R"("output_index":0,"name":"add","arguments":"{\"x\":1}"})" "\n\n"
    R"(event: response.output_item.done)" "\n"
    R"(data: {"type":"response.output_item.done","sequence_number":6,"output_index":0,"item":{)"
    R"("id":"fc_1","type":"function_call","status":"completed","call_id":"call_a","name":"add",)"
    R"("arguments":"{\"x\":1}"}})" "\n\n"
    R"(event: response.output_item.done)" "\n"
    R"(data: {"type":"response.output_item.done","sequence_number":7,"output_index":1,"item":{)"
    R"("id":"fc_2","type":"function_call","status":"completed","call_id":"call_b","name":"add",)"
    R"("arguments":"{\"x\":2}"}})" "\n\n"
    R"(event: response.completed)" "\n"
    R"(data: {"type":"response.completed","sequence_number":8,"response":{"id":"resp_2",)"
    R"("object":"response","status":"completed","output":[{"id":"fc_1","type":"function_call",)"
    R"("status":"completed","call_id":"call_a","name":"add","arguments":"{\"x\":1}"},{"id":"fc_2",)"
    R"("type":"function_call","status":"completed","call_id":"call_b","name":"add","arguments":"{)"
    R"(\"x\":2}"}],"usage":{"input_tokens":50,"input_tokens_details":{"cached_tokens":0},)"
    R"("output_tokens":30,"output_tokens_details":{"reasoning_tokens":0},"total_tokens":80}}})" "\n\n";

inline constexpr std::string_view early_error =
    R"(event: error)" "\n"
    R"(data: {"type":"error","error":{"type":"insufficient_quota","code":"insufficient_quota",)"
    R"("message":"You exceeded your current quota","param":null},"sequence_number":2})" "\n\n";

inline constexpr std::string_view failed =
    R"(event: response.output_text.delta)" "\n"
    R"(data: {"type":"response.output_text.delta","sequence_number":8,"item_id":"msg_1",)"
    R"("output_index":0,"content_index":0,"delta":"The ans","logprobs":[]})" "\n\n"
    R"(event: response.failed)" "\n"
    R"(data: {"type":"response.failed","sequence_number":9,"response":{"id":"resp_3",)"
    R"("object":"response","status":"failed","error":{"code":"server_error",)"
    R"("message":"The model failed to generate a response."},"output":[],"usage":null}})" "\n\n";

inline constexpr std::string_view incomplete =
    R"(event: response.incomplete)" "\n"
    R"(data: {"type":"response.incomplete","sequence_number":40,"response":{"id":"resp_4",)"
    R"("object":"response","status":"incomplete","incomplete_details":{)"
    R"("reason":"max_output_tokens"},"error":null,"output":[{"id":"fc_9","type":"function_call",)"
    R"("status":"incomplete","call_id":"call_z","name":"pay","arguments":"{\"amo"}],"usage":{)"
    R"("input_tokens":9,"output_tokens":16,"total_tokens":25}}})" "\n\n";

inline constexpr std::string_view truncated =
    R"(event: response.function_call_arguments.delta)" "\n"
    R"(data: {"type":"response.function_call_arguments.delta","sequence_number":7,"item_id":"fc_1",)"
    R"("output_index":0,"delta":"{\"amount\":10"})" "\n\n"
    R"(event: response.function_call_arguments.de)";

}  // namespace responses_transcripts
