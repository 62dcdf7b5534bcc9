#pragma once

#include <string_view>

/** Bodies of event streams as OpenAI-compatible servers send them. */
namespace transcripts {

inline constexpr std::string_view normal =
    R"(data: {"id":"chatcmpl-1","object":"chat.completion.chunk","created":1789000000,)"
    R"("model":"gpt-x-2026","system_fingerprint":"fp_1","choices":[{"index":0,)"
    R"("delta":{"role":"assistant","content":"","refusal":null},"logprobs":null,)"
    R"("finish_reason":null}],"usage":null,"obfuscation":"a9"})" "\n\n"
    R"(data: {"id":"chatcmpl-1","object":"chat.completion.chunk","created":1789000000,)"
    R"("model":"gpt-x-2026","choices":[{"index":0,"delta":{"content":"Hel"},)"
    R"("finish_reason":null}],"usage":null})" "\n\n"
    R"(data: {"id":"chatcmpl-1","object":"chat.completion.chunk","created":1789000000,)"
    R"("model":"gpt-x-2026","choices":[{"index":0,"delta":{"content":"lo 👋"},)"
    R"("finish_reason":null}],"usage":null})" "\n\n"
    R"(data: {"id":"chatcmpl-1","object":"chat.completion.chunk","created":1789000000,)"
    R"("model":"gpt-x-2026","choices":[{"index":0,"delta":{},"finish_reason":"stop"}],)"
    R"("usage":null})" "\n\n"
    R"(data: {"id":"chatcmpl-1","object":"chat.completion.chunk","created":1789000000,)"
    R"("model":"gpt-x-2026","choices":[],"usage":{"prompt_tokens":9,"completion_tokens":3,)"
    R"("total_tokens":12,"prompt_tokens_details":{"cached_tokens":0,"audio_tokens":0},)"
    R"("completion_tokens_details":{"reasoning_tokens":0}}})" "\n\n"
    R"(data: [DONE])" "\n\n";

inline constexpr std::string_view tool_call =
    R"(data: {"id":"chatcmpl-2","object":"chat.completion.chunk","created":1,)"
    R"("model":"gpt-x","choices":[{"index":0,"delta":{"role":"assistant","content":null,)"
    R"("tool_calls":[{"index":0,"id":"call_a","type":"function",)"
    R"("function":{"name":"get_weather","arguments":""}}]},"finish_reason":null}]})" "\n\n"
    R"(data: {"id":"chatcmpl-2","object":"chat.completion.chunk","created":1,)"
    R"("model":"gpt-x","choices":[{"index":0,"delta":{"tool_calls":[{"index":0,)"
    R"("function":{"arguments":"{\"ci"}}]},"finish_reason":null}]})" "\n\n"
    R"(data: {"id":"chatcmpl-2","object":"chat.completion.chunk","created":1,)"
    R"("model":"gpt-x","choices":[{"index":0,"delta":{"tool_calls":[{"index":0,)"
    R"("function":{"arguments":"ty\":\"Köln\"}"}}]},"finish_reason":null}]})" "\n\n"
    R"(data: {"id":"chatcmpl-2","object":"chat.completion.chunk","created":1,)"
    R"("model":"gpt-x","choices":[{"index":0,"delta":{},"finish_reason":"tool_calls"}]})" "\n\n"
    R"(data: [DONE])" "\n\n";

inline constexpr std::string_view parallel_tool_calls =
    R"(data: {"id":"c3","object":"chat.completion.chunk","created":1,"model":"gpt-x",)"
    R"("choices":[{"index":0,"delta":{"role":"assistant","content":null},)"
    R"("finish_reason":null}]})" "\n\n"
    R"(data: {"id":"c3","object":"chat.completion.chunk","created":1,"model":"gpt-x",)"
    R"("choices":[{"index":0,"delta":{"tool_calls":[{"index":0,"id":"call_a",)"
    R"("type":"function","function":{"name":"add","arguments":""}}]},)"
    R"("finish_reason":null}]})" "\n\n"
    R"(data: {"id":"c3","object":"chat.completion.chunk","created":1,"model":"gpt-x",)"
    R"("choices":[{"index":0,"delta":{"tool_calls":[{"index":1,"id":"call_b",)"
    R"("type":"function","function":{"name":"add","arguments":""}}]},)"
    R"("finish_reason":null}]})" "\n\n"
    R"(data: {"id":"c3","object":"chat.completion.chunk","created":1,"model":"gpt-x",)"
    R"("choices":[{"index":0,"delta":{"tool_calls":[{"index":1,)"
    R"("function":{"arguments":"{\"x\":3,"}},{"index":0,"function":{"arguments":"{\"x\":1,)"
    R"("}}]},"finish_reason":null}]})" "\n\n"
    R"(data: {"id":"c3","object":"chat.completion.chunk","created":1,"model":"gpt-x",)"
    R"("choices":[{"index":0,"delta":{"tool_calls":[{"index":0,)"
    R"("function":{"arguments":"\"y\":2}"}}]},"finish_reason":null}]})" "\n\n"
    R"(data: {"id":"c3","object":"chat.completion.chunk","created":1,"model":"gpt-x",)"
    R"("choices":[{"index":0,"delta":{"tool_calls":[{"index":1,)"
    R"("function":{"arguments":"\"y\":4}"}}]},"finish_reason":null}]})" "\n\n"
    R"(data: {"id":"c3","object":"chat.completion.chunk","created":1,"model":"gpt-x",)"
    R"("choices":[{"index":0,"delta":{},"finish_reason":"tool_calls"}]})" "\n\n"
    R"(data: [DONE])" "\n\n";

inline constexpr std::string_view hostile_dialect =
    R"(: keep-alive)" "\n\n"
    R"(data:{"id":"","object":"chat.completion.chunk","model":"m","choices":[{"index":0,)"
    R"("delta":{"role":"","content":null,"tool_calls":[{"id":"abc123XYZ","type":"function",)"
    R"("function":{"name":"add","arguments":"{\"x\":1}"}}]}}]})" "\n\n"
    R"(data:{"choices":[{"index":0,"delta":{"tool_calls":[{"id":"def456UVW",)"
    R"("function":{"name":"add","arguments":"{\"x\""}}]}}]})" "\n\n"
    R"(data:{"choices":[{"index":0,"delta":{"tool_calls":[{"id":null,)"
    R"("function":{"name":null,"arguments":":2}"}}]}}]})" "\n\n"
    R"(data:{"choices":[{"index":0,"delta":{"content":"","tool_calls":null},)"
    R"("finish_reason":"stop"}],"usage":{"prompt_tokens":5,"completion_tokens":7,)"
    R"("total_tokens":12,"prompt_tokens_details":null}})" "\n\n";

inline constexpr std::string_view error_of_vllm =
    R"(data: {"id":"c4","object":"chat.completion.chunk","created":1,"model":"m",)"
    R"("choices":[{"index":0,"delta":{"role":"assistant","content":"The ans"},)"
    R"("finish_reason":null}]})" "\n\n"
    R"(data: {"error":{"message":"EngineCore died","type":"InternalServerError",)"
    R"("param":null,"code":500}})" "\n\n"
    R"(data: [DONE])" "\n\n";

inline constexpr std::string_view error_of_openrouter =
    R"(: OPENROUTER PROCESSING)" "\n\n"
    R"(data: {"id":"gen-1","provider":"X","model":"m","object":"chat.completion.chunk",)"
    R"("created":1,"choices":[{"index":0,"delta":{"role":"assistant","content":"The ans"},)"
    R"("finish_reason":null}]})" "\n\n"
    R"(data: {"id":"gen-1","provider":"X","model":"m","object":"chat.completion.chunk",)"
    R"("created":1,"error":{"code":502,"message":"Upstream disconnected",)"
    R"("metadata":{"provider_name":"X"}},"choices":[{"index":0,"delta":{"content":""},)"
    R"("finish_reason":"error","native_finish_reason":null}]})" "\n\n";

inline constexpr std::string_view error_of_llama_cpp =
    R"(error: {"code":500,"message":"context shift is disabled","type":"server_error"})" "\n\n"
    R"(data: [DONE])" "\n\n";

inline constexpr std::string_view truncated =
    R"(data: {"id":"c5","object":"chat.completion.chunk","created":1,"model":"m",)"
    R"("choices":[{"index":0,"delta":{"role":"assistant","content":null,)"
    R"("tool_calls":[{"index":0,"id":"call_a","type":"function","function":{"name":"pay",)"
    R"("arguments":"{\"amount\":10"}}]},"finish_reason":null}]})" "\n\n"
    R"(data: {"id":"c5","object":"chat.completion.chunk","created":1,"model":"m",)"
    R"("choices":[{"index":0,"delta":{"tool_calls":[{"index":0,"function":{"argu)";

}  // namespace transcripts
