#include <weft/model/embedding/gemini_embedding_model.hpp>

#include <weft/base/json/json_peek.hpp>
#include <weft/model/gemini_model.hpp>

#include "embedding_wires.hpp"
#include "model/gemini/gemini_provider.hpp"
#include "model/wire/request_writing.hpp"

#include <boost/json/serialize.hpp>

#include <utility>

namespace weft {

namespace model_detail {

namespace json = boost::json;

namespace {

json::object gemini_embedding_entry(const std::string& text, const std::string& model,
                                    std::optional<std::size_t> dimensions)
{
    json::object part;
    part.emplace("text", clean_text(text, {}));
    json::array parts;
    parts.push_back(std::move(part));
    json::object content;
    content.emplace("parts", std::move(parts));
    json::object entry;
    entry.emplace("model", clean_text(model, {}));
    entry.emplace("content", std::move(content));
    if (dimensions) entry.emplace("outputDimensionality", *dimensions);
    return entry;
}

embedding_wire gemini_embedding_wire(const embedding_options& options)
{
    const std::string base = options.base_url.empty() ? gemini_model_options{}.base_url : options.base_url;
    const url checked = gemini_base(base);
    // Without a model there is no address; the check of the options says so.
    embedding_wire wire{
        .target = options.model.empty() ? checked : gemini_target(checked, options.model, ":batchEmbedContents")};
    wire.key_header = gemini_settings{}.auth_header;
    wire.key_prefix = gemini_settings{}.auth_prefix;
    wire.inputs_max = 100;
    wire.write = &gemini_embedding_body;
    wire.read = &gemini_embedding_reply;
    wire.errors = &gemini_errors;
    return wire;
}

}  // namespace

std::string gemini_embedding_body(const embedding_request& request)
{
    const bool is_path = request.model.find('/') != std::string_view::npos;
    const std::string model = (is_path ? "" : "models/") + std::string{request.model};
    json::array requests;
    requests.reserve(request.texts.size());
    for (const std::string& text : request.texts)
        requests.push_back(gemini_embedding_entry(text, model, request.dimensions));
    json::object body;
    body.emplace("requests", std::move(requests));
    return json::serialize(body);
}

embedding_reply gemini_embedding_reply(const json::object& reply, const embedding_expectation& expected)
{
    const json::array& entries = read_entries(reply, "embeddings", expected.count);
    embedding_reply out;
    out.vectors.reserve(expected.count);
    for (const json::value& entry : entries) {
        const json::object* fields = entry.if_object();
        const json::value* values = fields ? peek_member(*fields, "values") : nullptr;
        out.vectors.push_back(read_vector(values, out.vectors.size(), expected.dimensions_max));
    }
    out.usage = input_usage(peek_object(reply, "usageMetadata"), "promptTokenCount");
    return out;
}

}  // namespace model_detail

gemini_embedding_model::gemini_embedding_model(http_client client, embedding_options options)
    : provider_embedding_model{model_detail::made_embedding_provider(
          std::move(client), options, model_detail::gemini_embedding_wire(options))}
{
}

}  // namespace weft
