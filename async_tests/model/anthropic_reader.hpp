#pragma once

#include "model/anthropic/anthropic_provider.hpp"
#include "stream_under_test.hpp"

#include <string>
#include <string_view>

/** Streams of Anthropic in tests. */
namespace anthropic_reading {

inline const weft::anthropic_settings settings;

inline const stream_under_test reader{[](const reading& how) {
    return weft::model_detail::anthropic_reader(test_reply_options(how), settings, test_key);
}};

inline constexpr std::string_view begun =
    R"({"type":"message_start","message":{"id":"msg_1","model":"claude-x","content":[],)"
    R"("usage":{"input_tokens":9,"output_tokens":1}}})";
inline constexpr std::string_view text_begins =
    R"({"type":"content_block_start","index":0,"content_block":{"type":"text","text":""}})";
inline constexpr std::string_view stopped = R"({"type":"message_stop"})";

inline std::string text(std::string_view piece, int index = 0)
{
    return R"({"type":"content_block_delta","index":)" + std::to_string(index) +
           R"(,"delta":{"type":"text_delta","text":")" + std::string{piece} + R"("}})";
}

inline std::string stops(std::string_view reason)
{
    return R"({"type":"message_delta","delta":{"stop_reason":")" + std::string{reason} +
           R"("},"usage":{"output_tokens":5}})";
}

}  // namespace anthropic_reading
