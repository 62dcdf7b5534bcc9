#pragma once

#include <string_view>

/** Bodies of streams as Ollama sends them. */
namespace ollama_transcripts {

inline constexpr std::string_view normal =
    R"({"model":"m","created_at":"2026-11-21T10:00:00.1Z","message":{"role":"assistant",)"
    R"("content":"","thinking":"Greet."},"done":false})" "\n"
    R"({"model":"m","created_at":"2026-11-21T10:00:00.2Z","message":{"role":"assistant",)"
    R"("content":"Hel"},"done":false})" "\n"
    R"({"model":"m","created_at":"2026-11-21T10:00:00.3Z","message":{"role":"assistant",)"
    R"("content":"lo"},"done":false})" "\n"
    R"({"model":"m","created_at":"2026-11-21T10:00:00.4Z","message":{"role":"assistant",)"
    R"("content":""},"done":true,"done_reason":"stop","total_duration":400000000,)"
    R"("load_duration":1000000,"prompt_eval_count":8,"prompt_eval_duration":20000000,)"
    R"("eval_count":5,"eval_duration":300000000})" "\n";

inline constexpr std::string_view parallel_calls =
    R"({"model":"m","created_at":"2026-11-21T10:00:00.1Z","message":{"role":"assistant",)"
    R"("content":"","tool_calls":[{"id":"call_1","function":{"index":0,"name":"add","arguments":{)"
    R"("x":1}}}]},"done":false})" "\n"
    R"({"model":"m","created_at":"2026-11-21T10:00:00.2Z","message":{"role":"assistant",)"
    R"("content":"","tool_calls":[{"id":"call_2","function":{"index":1,"name":"add","arguments":{)"
    R"("x":2}}}]},"done":false})" "\n"
    R"({"model":"m","created_at":"2026-11-21T10:00:00.3Z","message":{"role":"assistant",)"
    R"("content":""},"done":true,"done_reason":"stop","prompt_eval_count":60,"eval_count":30})" "\n";

inline constexpr std::string_view error_in_the_middle =
    R"({"model":"m","created_at":"2026-11-21T10:00:00.1Z","message":{"role":"assistant",)"
    R"("content":"The ans"},"done":false})" "\n"
    R"({"error":"an error was encountered while running the model: CUDA error"})" "\n";

inline constexpr std::string_view truncated =
    R"({"model":"m","created_at":"2026-11-21T10:00:00.1Z","message":{"role":"assistant",)"
    R"("content":"The ans"},"done":false})" "\n"
    R"({"model":"m","created_at":"2026-11-21T10:00:00.2Z","mess)";

}  // namespace ollama_transcripts
