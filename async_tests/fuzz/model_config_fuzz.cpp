// Fuzzes model configurations: a text is a configuration whose models can be made, or a list of mistakes within bounds;
// what stands where a key should be is in none of them.
//   clang++ -std=c++20 -fsanitize=fuzzer,address,undefined -Iinclude async_tests/fuzz/model_config_fuzz.cpp …

#include "stream_pieces.hpp"

#include <weft/model/config/model_config.hpp>

namespace {

using stream_pieces::require;

constexpr std::string_view secret = "sk-live-0123456789abcdef";

constexpr std::string_view pieces[] = {
    "{\"models\":{",
    "},\"default\":\"a\"}",
    "}}",
    "\"a\":{\"provider\":\"openai\",\"model\":\"m\"",
    "\"b\":{\"provider\":\"ollama\",\"model\":\"${NAME}\"",
    "\"c\":{\"provider\":\"openai_responses\",\"model\":\"m\"",
    "\"d\":{\"provider\":\"olama\"",
    "}",
    ",",
    "\"api_key\":",
    "\"sk-live-0123456789abcdef\"",
    "\"${KEY}\"",
    "\"${NAME}${\"",
    "\"$${}\"",
    "[\"sk-live-0123456789abcdef\"]",
    "\"base_url\":",
    "\"http://localhost:1/v1\"",
    "\"headers\":{\"A\":",
    "\"timeouts\":{\"gap\":\"1s\"}",
    "\"limits\":{\"tool_calls_max\":7}",
    "\"extra_body\":{\"x\":[]}",
    "\"profile\":\"vllm\"",
    "5",
    "null",
    "\n",
};

std::optional<std::string> variable(const std::string& name)
{
    if (name == "KEY") return std::string{secret};
    return name == "NAME" ? std::optional<std::string>{"value"} : std::nullopt;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size)
{
    const std::string text = stream_pieces::spelled_out(pieces, data, size);
    weft::model_config_options options;
    options.environment = variable;
    options.mistakes_max = 8;
    try {
        const weft::model_config config = weft::model_config::read(text, options);
        const auto names = config.names();
        require(!names.empty());
        for (const std::string& name : names)
            require(std::string_view{config.make(weft::http_client{}, name)->label()}.find(secret) ==
                    std::string_view::npos);
    } catch (const weft::model_config_error& e) {
        require(!e.mistakes().empty() && e.mistakes().size() <= options.mistakes_max + 1);
        for (const weft::spec_mistake& m : e.mistakes())
            require(m.line > 0 && m.column > 0 && !m.path.empty() && !m.text.empty());
    }
    return 0;
}
