#include <weft/model/config/model_config.hpp>

#include <weft/base/json.hpp>
#include <weft/graph/spec/spec_places.hpp>
#include <weft/graph/spec/spec_reading.hpp>

#include "model_entry.hpp"

#include <algorithm>
#include <fstream>
#include <optional>
#include <utility>

namespace weft {

namespace json = boost::json;

namespace {

std::string list_of_mistakes(const std::vector<spec_mistake>& mistakes)
{
    std::string text = std::to_string(mistakes.size()) + (mistakes.size() == 1 ? " mistake" : " mistakes");
    for (const spec_mistake& mistake : mistakes) text += "\n  - " + mistake.to_text();
    return text;
}

/** Finds the place of each mistake in the text; looks at the text only if there is one. */
class config_mistakes final : public spec_mistakes {
public:
    config_mistakes(std::string_view text, const model_config_options& options) : text_{text}, options_{options} {}

    void add(const json_path& at, std::string text) override
    {
        if (++count_ > options_.mistakes_max) return;
        if (!places_) places_.emplace(text_);
        const text_position place = places_->of(at);
        mistakes_.push_back({options_.file, place.line, place.column, at.text(), std::move(text)});
    }
    void add_at_name(const json_path& at, std::string text) override { add(at, std::move(text)); }
    [[nodiscard]] std::size_t count() const noexcept override { return count_; }

    void throw_if_any()
    {
        if (count_ > mistakes_.size())
            mistakes_.push_back({options_.file, 1, 1, "$",
                                 "and " + std::to_string(count_ - mistakes_.size()) + " more mistakes"});
        if (!mistakes_.empty()) throw model_config_error{options_.file, std::move(mistakes_)};
    }

private:
    std::string_view text_;
    const model_config_options& options_;
    std::optional<spec_places> places_;
    std::vector<spec_mistake> mistakes_;
    std::size_t count_ = 0;
};

json::value document_of(std::string_view text, const model_config_options& options)
{
    if (text.size() > options.bytes_max)
        throw model_config_error{options.file,
                                 {{options.file, 1, 1, "$",
                                   "the text has more than " + std::to_string(options.bytes_max) +
                                       " bytes (`bytes_max`)"}}};
    try {
        return parse_json(text);
    } catch (const json_syntax_error& e) {
        throw model_config_error{
            options.file,
            {{options.file, e.position().line, e.position().column, "$", "this is no JSON: " + e.detail()}}};
    }
}

/** Makes a model once and drops it: what its constructor refuses is a mistake of the document. */
void try_model(const any_model_options& options, const http_client& client, const json_path& at,
               spec_mistakes& mistakes)
{
    try {
        (void)make_model(client, options);
    } catch (const error& e) {
        const json_path address{at, "base_url"};
        mistakes.add(e.code() == errc::invalid_url ? address : at, e.detail());
    }
}

std::optional<any_embedding_options> read_embedding(const json::object& document, const json_path& whole,
                                                    const model_config_options& options, spec_mistakes& mistakes)
{
    const json::value* const written = document.if_contains("embedding");
    if (!written) return std::nullopt;
    const json_path at{whole, "embedding"};
    std::optional<any_embedding_options> read =
        model_detail::read_embedding_entry(*written, at, {options.environment, options.takes_literal_keys, mistakes});
    if (!read) return std::nullopt;
    try {
        (void)make_embedding_model(http_client{}, *read);
    } catch (const error& e) {
        const json_path part{at, e.code() == errc::invalid_url ? "base_url" : "provider"};
        mistakes.add(part, e.detail());
    }
    return read;
}

using models_by_name = std::map<std::string, any_model_options, std::less<>>;

models_by_name read_models(const json::object& document, const json_path& whole, const model_config_options& options,
                           spec_mistakes& mistakes)
{
    models_by_name result;
    const json::value* const written = document.if_contains("models");
    if (!written) return spec_detail::add_missing(whole, "models", mistakes), result;
    const json_path at{whole, "models"};
    const json::object* const models = spec_detail::read_object(*written, at, mistakes);
    if (!models) return result;
    if (models->empty()) mistakes.add(at, "name at least one model here");
    const http_client client;
    for (const json::key_value_pair& member : *models) {
        const std::string_view name{member.key().data(), member.key().size()};
        const json_path place{at, name};
        if (name.empty()) mistakes.add_at_name(place, "a model needs a name");
        std::optional<any_model_options> read = model_detail::read_model_entry(
            member.value(), place, {options.environment, options.takes_literal_keys, mistakes});
        if (!read) continue;
        try_model(*read, client, place, mistakes);
        result.insert_or_assign(std::string{name}, std::move(*read));
    }
    return result;
}

/** Reads the name of the default; an only model needs none. */
std::string read_default(const json::object& document, const json_path& whole, spec_mistakes& mistakes)
{
    const json::value* const models = document.if_contains("models");
    std::vector<std::string_view> names;
    if (models && models->is_object())
        for (const json::key_value_pair& member : models->get_object()) names.emplace_back(member.key());
    const json::value* const written = document.if_contains("default");
    if (!written) return names.size() == 1 ? std::string{names.front()} : std::string{};
    const json_path at{whole, "default"};
    std::string name;
    spec_detail::read_into(name, *written, at, mistakes);
    const bool is_known = std::find(names.begin(), names.end(), name) != names.end();
    if (written->is_string() && !is_known)
        mistakes.add(at, "there is no model '" + name + "'" + known_names(name, names));
    return name;
}

}  // namespace

model_config_error::model_config_error(std::string_view file, std::vector<spec_mistake> mistakes)
    : error{errc::invalid_configuration,
            file.empty() ? "model configuration" : "model configuration '" + std::string{file} + "'",
            list_of_mistakes(mistakes)},
      mistakes_{std::move(mistakes)}
{
}

model_config model_config::read(std::string_view text, const model_config_options& options)
{
    const json::value document = document_of(text, options);
    config_mistakes mistakes{text, options};
    model_config result;
    const json_path whole;
    if (const json::object* const top = spec_detail::read_object(document, whole, mistakes)) {
        constexpr std::string_view members[] = {"models", "default", "embedding"};
        spec_detail::check_members(*top, whole, members, mistakes);
        result.models_ = read_models(*top, whole, options, mistakes);
        result.default_ = read_default(*top, whole, mistakes);
        result.embedding_ = read_embedding(*top, whole, options, mistakes);
    }
    mistakes.throw_if_any();
    return result;
}

model_config model_config::read_file(const std::filesystem::path& file, model_config_options options)
{
    if (options.file.empty()) options.file = file.string();
    std::ifstream in{file, std::ios::binary};
    std::string text;
    if (in && !std::filesystem::is_directory(file)) {
        text.resize(options.bytes_max + 1);
        in.read(text.data(), static_cast<std::streamsize>(text.size()));
        text.resize(static_cast<std::size_t>(in.gcount()));
    } else {
        throw model_config_error{options.file, {{options.file, 1, 1, "$", "the file cannot be read"}}};
    }
    return read(text, options);
}

std::vector<std::string> model_config::names() const
{
    std::vector<std::string> names;
    for (const auto& [name, options] : models_) names.push_back(name);
    return names;
}

const any_model_options& model_config::options(std::string_view name) const
{
    if (name.empty()) name = default_;
    if (name.empty())
        throw error{errc::invalid_configuration, "default",
                    "the model configuration names no default: say which of its models to ask"};
    const auto found = models_.find(name);
    if (found != models_.end()) return found->second;
    std::vector<std::string_view> known;
    for (const auto& [other, options] : models_) known.push_back(other);
    throw error{errc::invalid_configuration, std::string{name},
                "the model configuration has no such model" + known_names(name, known)};
}

std::shared_ptr<chat_model> model_config::make(http_client client, std::string_view name) const
{
    return make_model(std::move(client), options(name));
}

std::map<std::string, std::shared_ptr<chat_model>> model_config::make_all(const http_client& client) const
{
    std::map<std::string, std::shared_ptr<chat_model>> made;
    for (const auto& [name, options] : models_) made.emplace(name, make_model(client, options));
    return made;
}

std::shared_ptr<embedding_model> model_config::make_embedding(http_client client) const
{
    if (!embedding_)
        throw error{errc::invalid_configuration, "embedding",
                    "the model configuration names no model of embeddings: add the member"};
    return make_embedding_model(std::move(client), *embedding_);
}

}  // namespace weft
