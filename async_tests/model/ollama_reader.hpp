#pragma once

#include "model/ollama/ollama_provider.hpp"
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
    const auto reader = weft::model_detail::ollama_reader(options, key);
    weft::json_line_parser parser;
    return piecewise::observe(
        [&](weft::chat_sink& sink) { return read_in_pieces(body, parser, *reader, sink, how); });
}

[[nodiscard]] inline outcome read_document(std::string_view body)
{
    const weft::secret_string key{piecewise::secret};
    const auto reader = weft::model_detail::ollama_reader(piecewise::reading(), key);
    return piecewise::observe([&](weft::chat_sink& sink) {
        reader->feed_document(body, sink);
        return reader->finish();
    });
}

}  // namespace ollama_reader
