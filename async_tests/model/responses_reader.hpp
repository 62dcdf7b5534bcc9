#pragma once

#include "model/responses/responses_provider.hpp"
#include "piecewise.hpp"

#include <initializer_list>
#include <string>
#include <string_view>

/** Bodies of the Responses API, read without a wire. */
namespace responses_reader {

[[nodiscard]] inline outcome read(std::string_view body, const piecewise::pieces& how = {},
                                  weft::reply_limits limits = {})
{
    const weft::secret_string key{piecewise::secret};
    const weft::responses_settings settings;
    weft::reply_options options = piecewise::reading();
    options.limits = limits;
    const auto reader = weft::model_detail::responses_reader(options, settings, key);
    weft::sse_parser parser{{.dialect = weft::sse_dialect::llm}};
    return piecewise::observe(
        [&](weft::chat_sink& sink) { return read_in_pieces(body, parser, *reader, sink, how); });
}

[[nodiscard]] inline outcome read_document(std::string_view body)
{
    const weft::secret_string key{piecewise::secret};
    const weft::responses_settings settings;
    const auto reader = weft::model_detail::responses_reader(piecewise::reading(), settings, key);
    return piecewise::observe([&](weft::chat_sink& sink) {
        reader->feed_document(body, sink);
        return reader->finish();
    });
}

/** An event stream of these events, each without its name, as some proxies send them. */
[[nodiscard]] inline std::string stream_of(std::initializer_list<std::string_view> events)
{
    std::string body;
    for (const std::string_view event : events) body.append("data: ").append(event).append("\n\n");
    return body;
}

/** The event that ends a response well, with this output. */
[[nodiscard]] inline std::string completed(std::string_view output = "[]")
{
    return R"({"type":"response.completed","response":{"id":"r","status":"completed","output":)" + std::string{output} +
           "}}";
}

}  // namespace responses_reader
