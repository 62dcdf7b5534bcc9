#pragma once

#include "model/gemini/gemini_provider.hpp"
#include "stream_under_test.hpp"

#include <string>
#include <string_view>

/** Streams of Gemini in tests. */
namespace gemini_reading {

inline const weft::gemini_settings settings;

inline const stream_under_test reader{[](const reading& how) {
    return weft::model_detail::gemini_reader(test_reply_options(how), settings, test_key);
}};

/** A chunk with these parts, and this finish reason if there is one. */
inline std::string chunk(std::string_view parts, std::string_view finish_reason = {})
{
    std::string json = R"({"candidates":[{"content":{"role":"model","parts":[)";
    json.append(parts).append("]}");
    if (!finish_reason.empty()) json.append(R"(,"finishReason":")").append(finish_reason).append("\"");
    return json.append(R"(,"index":0}],"responseId":"r1","modelVersion":"gemini-x-001"})");
}

inline std::string text(std::string_view piece) { return R"({"text":")" + std::string{piece} + R"("})"; }

}  // namespace gemini_reading
