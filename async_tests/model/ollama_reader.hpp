#pragma once

#include "model/ollama/ollama_stream.hpp"
#include "piecewise.hpp"

#include <weft/net/text/json_line_parser.hpp>

#include <string_view>

/** Bodies of Ollama's own API, read without a wire. */
namespace ollama_reader {

[[nodiscard]] inline outcome read(std::string_view body, const piecewise::pieces& how = {},
                                  weft::reply_limits limits = {})
{
    const weft::secret_string key{piecewise::secret};
    weft::reply_options options = piecewise::reading();
    options.limits = limits;
    weft::ollama_stream stream{options, key};
    weft::json_line_parser parser;
    return piecewise::observe(
        [&](weft::chat_sink& sink) { return read_in_pieces(body, parser, stream, sink, how); });
}

[[nodiscard]] inline outcome read_document(std::string_view body)
{
    const weft::secret_string key{piecewise::secret};
    weft::ollama_stream stream{piecewise::reading(), key};
    return piecewise::observe([&](weft::chat_sink& sink) {
        stream.feed_document(body, sink);
        return stream.finish();
    });
}

}  // namespace ollama_reader
