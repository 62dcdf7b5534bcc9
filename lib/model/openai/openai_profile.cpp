#include <weft/model/openai/openai_profile.hpp>

namespace weft::openai_profiles {

openai_profile openai()
{
    return {};
}

openai_profile compatible()
{
    openai_profile p;
    p.provider = "compatible";
    p.max_tokens_field = "max_tokens";
    p.takes_strict_tools = false;
    p.takes_null_content = false;
    return p;
}

openai_profile azure()
{
    openai_profile p;
    p.provider = "azure";
    p.auth_header = "api-key";
    p.auth_prefix.clear();
    return p;
}

openai_profile vllm()
{
    openai_profile p = compatible();
    p.provider = "vllm";
    p.reasoning_fields = {"reasoning", "reasoning_content"};
    p.takes_broken_arguments = false;  // its chat templates parse them
    return p;
}

openai_profile llama_cpp()
{
    openai_profile p = compatible();
    p.provider = "llama.cpp";
    p.takes_broken_arguments = false;  // its chat templates parse them
    return p;
}

openai_profile ollama()
{
    openai_profile p = compatible();
    p.provider = "ollama";
    p.reasoning_fields = {"reasoning", "reasoning_content"};
    p.takes_tool_choice = false;
    p.takes_parallel_flag = false;
    p.takes_broken_arguments = false;
    return p;
}

openai_profile openrouter()
{
    openai_profile p = compatible();
    p.provider = "openrouter";
    p.reasoning_fields = {"reasoning", "reasoning_content"};
    return p;
}

openai_profile deepseek()
{
    openai_profile p = compatible();
    p.provider = "deepseek";
    p.response_format = response_formats::json_object;
    return p;
}

openai_profile groq()
{
    openai_profile p = compatible();
    p.provider = "groq";
    p.max_tokens_field = "max_completion_tokens";
    p.reasoning_fields = {"reasoning", "reasoning_content"};
    return p;
}

openai_profile mistral()
{
    openai_profile p = compatible();
    p.provider = "mistral";
    p.required_tools_word = "any";
    p.takes_stream_options = false;
    p.tool_ids = tool_id_style::nine_alphanumeric;
    return p;
}

openai_profile gemini()
{
    openai_profile p = compatible();
    p.provider = "gemini";
    p.takes_parallel_flag = false;
    return p;
}

openai_profile for_host(std::string_view host)
{
    struct known_host {
        std::string_view suffix;
        openai_profile (*profile)();
    };
    constexpr known_host hosts[] = {
        {"api.openai.com", openai},         {".openai.azure.com", azure},
        {"openrouter.ai", openrouter},      {"api.deepseek.com", deepseek},
        {"api.groq.com", groq},             {"api.mistral.ai", mistral},
        {"generativelanguage.googleapis.com", gemini},
    };
    for (const known_host& known : hosts) {
        const bool is_domain = known.suffix.front() == '.';
        if (is_domain ? host.ends_with(known.suffix) : host == known.suffix) return known.profile();
    }
    return compatible();
}

}  // namespace weft::openai_profiles
