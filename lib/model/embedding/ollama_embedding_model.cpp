#include <weft/model/embedding/ollama_embedding_model.hpp>

#include <weft/base/json/json_peek.hpp>
#include <weft/model/ollama_model.hpp>

#include "embedding_wires.hpp"
#include "model/ollama/ollama_provider.hpp"
#include "model/wire/request_writing.hpp"

#include <boost/json/serialize.hpp>

#include <utility>

namespace weft {

namespace model_detail {

namespace json = boost::json;

namespace {

embedding_wire ollama_embedding_wire(const embedding_options& options)
{
    const std::string base = options.base_url.empty() ? ollama_model_options{}.base_url : options.base_url;
    embedding_wire wire{.target = ollama_target(base, "embed")};
    wire.inputs_max = 512;  // the server has no bound; this one keeps a request short on a processor
    wire.write = &ollama_embedding_body;
    wire.read = &ollama_embedding_reply;
    wire.errors = &ollama_errors;
    return wire;
}

/** Before the first answer a model is loaded, which takes minutes. */
embedding_options with_time_to_load(embedding_options options)
{
    if (!options.timeouts) options.timeouts = ollama_model_options{}.timeouts;
    return options;
}

}  // namespace

std::string ollama_embedding_body(const embedding_request& request)
{
    json::array input;
    input.reserve(request.texts.size());
    for (const std::string& text : request.texts) input.push_back(clean_text(text, {}));
    json::object body;
    body.emplace("model", clean_text(request.model, {}));
    body.emplace("input", std::move(input));
    body.emplace("truncate", false);
    if (request.dimensions) body.emplace("dimensions", *request.dimensions);
    return json::serialize(body);
}

embedding_reply ollama_embedding_reply(const json::object& reply, const embedding_expectation& expected)
{
    const json::array& entries = read_entries(reply, "embeddings", expected.count);
    embedding_reply out;
    out.vectors.reserve(expected.count);
    for (const json::value& entry : entries)
        out.vectors.push_back(read_vector(&entry, out.vectors.size(), expected.dimensions_max));
    out.usage = input_usage(&reply, "prompt_eval_count");
    return out;
}

}  // namespace model_detail

ollama_embedding_model::ollama_embedding_model(http_client client, embedding_options options)
    : provider_embedding_model{model_detail::made_embedding_provider(
          std::move(client), model_detail::with_time_to_load(options), model_detail::ollama_embedding_wire(options))}
{
}

}  // namespace weft
