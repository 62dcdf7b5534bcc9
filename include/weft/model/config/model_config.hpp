#pragma once

#include <weft/base/error.hpp>
#include <weft/graph/spec/spec_mistake.hpp>
#include <weft/model/any_embedding_model.hpp>
#include <weft/model/any_model.hpp>
#include <weft/model/model_environment.hpp>

#include <cstddef>
#include <filesystem>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace weft {

/** All mistakes of a model configuration, in the order in which they were found. No secret is in them. */
class model_config_error : public error {
public:
    model_config_error(std::string_view file, std::vector<spec_mistake> mistakes);
    [[nodiscard]] const std::vector<spec_mistake>& mistakes() const noexcept { return mistakes_; }

private:
    std::vector<spec_mistake> mistakes_;
};

/** How model configurations are read. */
struct model_config_options {
    std::string file = {};                                     ///< What mistakes call the text.
    environment_lookup environment = process_environment();    ///< What `${NAME}` stands for.
    bool takes_literal_keys = false;                           ///< Keys may stand in the text itself.
    std::size_t bytes_max = 1u << 20;
    std::size_t mistakes_max = 100;                            ///< More are left out.
};

/** Models by name, as a JSON document describes them:
 *
 *      {"models": {
 *         "fast": {"provider": "openai", "model": "gpt-x-mini", "api_key": "${OPENAI_API_KEY}"},
 *         "local": {"provider": "ollama", "model": "llama3.2", "context_max": 16384}},
 *       "default": "fast",
 *       "embedding": {"provider": "openai", "model": "text-embedding-3-small", "api_key": "${OPENAI_API_KEY}"}}
 *
 *  docs/MODELS.md has all members. `${NAME}` in addresses, names, keys and headers stands for a variable of the
 *  environment, `$${` for the two characters themselves. A key must be such a reference as a whole, so that it gets
 *  into no file.
 *
 *  @par Thread safety   As a value.
 */
class model_config {
public:
    /** Reads a configuration.
     *
     *  @par Errors   `model_config_error` (`errc::invalid_configuration`) with every mistake: line, column, path, what
     *                is wrong and what to do. */
    [[nodiscard]] static model_config read(std::string_view text, const model_config_options& options = {});

    /** As `read`, from a file. Blocks while it reads.
     *
     *  @par Errors   As `read`; a file that cannot be read is a mistake too. */
    [[nodiscard]] static model_config read_file(const std::filesystem::path& file, model_config_options options = {});

    /** The names of the models, sorted. */
    [[nodiscard]] std::vector<std::string> names() const;
    /** The model for those who ask for none; empty if the document names none. The only one is it by itself. */
    [[nodiscard]] const std::string& default_name() const noexcept { return default_; }

    /** What a model is made with.
     *
     *  @param name   Empty: the default.
     *
     *  @par Errors   `errc::invalid_configuration` when there is no model of this name; where: the name. */
    [[nodiscard]] const any_model_options& options(std::string_view name = {}) const;

    /** Makes a model.
     *
     *  @param client   Copied; models that share one share its connections.
     *  @param name     Empty: the default.
     *
     *  @par Errors   As `options`. */
    [[nodiscard]] std::shared_ptr<chat_model> make(http_client client, std::string_view name = {}) const;

    /** Makes all models, by name. */
    [[nodiscard]] std::map<std::string, std::shared_ptr<chat_model>> make_all(const http_client& client) const;

    /** The model of embeddings; nothing if the document names none. */
    [[nodiscard]] const std::optional<any_embedding_options>& embedding() const noexcept { return embedding_; }
    /** Makes the model of embeddings.
     *
     *  @par Errors   `errc::invalid_configuration` if the document names none. */
    [[nodiscard]] std::shared_ptr<embedding_model> make_embedding(http_client client) const;

private:
    std::map<std::string, any_model_options, std::less<>> models_;
    std::optional<any_embedding_options> embedding_;
    std::string default_;
};

}  // namespace weft
