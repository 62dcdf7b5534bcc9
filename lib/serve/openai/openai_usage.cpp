#include "openai_usage.hpp"

namespace weft::serve_detail {

using boost::json::object;

object completion_usage_view(const usage& used)
{
    object view;
    view["prompt_tokens"] = used.input.count();
    view["completion_tokens"] = used.output.count();
    view["total_tokens"] = used.total().count();
    view["prompt_tokens_details"] = object{{"cached_tokens", used.cached.count()}, {"audio_tokens", 0}};
    view["completion_tokens_details"] = object{{"reasoning_tokens", used.reasoning.count()}, {"audio_tokens", 0}};
    return view;
}

object response_usage_view(const usage& used)
{
    object view;
    view["input_tokens"] = used.input.count();
    view["input_tokens_details"] = object{{"cached_tokens", used.cached.count()}};
    view["output_tokens"] = used.output.count();
    view["output_tokens_details"] = object{{"reasoning_tokens", used.reasoning.count()}};
    view["total_tokens"] = used.total().count();
    return view;
}

}  // namespace weft::serve_detail
