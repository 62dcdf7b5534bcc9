#pragma once

#include <string_view>

/** Bodies of event streams as Gemini sends them. */
namespace gemini_transcripts {

inline constexpr std::string_view thought =
    R"(data: {"candidates": [{"content": {"parts": [{"text": "A greeting.","thought": true}],"role")"
    R"(: "model"},"index": 0}],"usageMetadata": {"promptTokenCount": 4,"thoughtsTokenCount": 10,"to)"
    R"(talTokenCount": 14},"modelVersion": "gemini-x-001","responseId": "r1"})" "\r\n\r\n"
    R"(data: {"candidates": [{"content": {"parts": [{"text": "Hel"}],"role": "model"},"index": 0}],)"
    R"("usageMetadata": {"promptTokenCount": 4,"candidatesTokenCount": 1,"thoughtsTokenCount": 10,")"
    R"(totalTokenCount": 15},"modelVersion": "gemini-x-001","responseId": "r1"})" "\r\n\r\n"
    R"(data: {"candidates": [{"content": {"parts": [{"text": "lo","thoughtSignature": "CiQB"}],"rol)"
    R"(e": "model"},"finishReason": "STOP","index": 0}],"usageMetadata": {"promptTokenCount": 4,"ca)"
    R"(ndidatesTokenCount": 2,"thoughtsTokenCount": 10,"totalTokenCount": 16},"modelVersion": "gemi)"
    R"(ni-x-001","responseId": "r1"})" "\r\n\r\n";

inline constexpr std::string_view parallel_tool_calls =
    R"(data: {"candidates":[{"content":{"role":"model","parts":[{"functionCall":{"name":"add","args)"
    R"(":{"x":1}},"thoughtSignature":"CiQC"},{"functionCall":{"name":"add","args":{"x":2}}}]},"inde)"
    R"(x":0}],"usageMetadata":{"promptTokenCount":40,"totalTokenCount":40}})" "\n\n"
    R"(data: {"candidates":[{"content":{"role":"model","parts":[{"text":""}]},"finishReason":"STOP")"
    R"(,"index":0}],"usageMetadata":{"promptTokenCount":40,"candidatesTokenCount":20,"totalTokenCou)"
    R"(nt":60}})" "\n\n";

inline constexpr std::string_view blocked_prompt =
    R"(data: {"promptFeedback":{"blockReason":"PROHIBITED_CONTENT"},"usageMetadata":{"promptTokenCo)"
    R"(unt":7,"totalTokenCount":7},"modelVersion":"gemini-x-001"})" "\n\n";

inline constexpr std::string_view error_in_the_middle =
    R"(data: {"candidates":[{"content":{"role":"model","parts":[{"text":"The ans"}]},"index":0}]})" "\n\n"
    R"({)" "\n"
    R"(  "error": {)" "\n"
    R"(    "code": 503,)" "\n"
    R"(    "message": "The model is overloaded.",)" "\n"
    R"(    "status": "UNAVAILABLE")" "\n"
    R"(  })" "\n"
    R"(})";

inline constexpr std::string_view truncated =
    R"(data: {"candidates":[{"content":{"role":"model","parts":[{"text":"The ans"}]},"index":0}],"u)"
    R"(sageMetadata":{"promptTokenCount":4,"candidatesTokenCount":2,"totalTokenCount":6}})" "\n\n";

}  // namespace gemini_transcripts
