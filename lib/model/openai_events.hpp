#pragma once

#include <weft/async/task.hpp>
#include <weft/model/chat_sink.hpp>
#include <weft/model/openai_stream.hpp>
#include <weft/net/http_response.hpp>

namespace weft::model_detail {

/** Reads an event stream to the end of the reply in it, as fast as the sink takes it.
 *
 *  @par Errors   Those of `openai_stream`. */
[[nodiscard]] task<chat_reply> read_events(http_response response, openai_stream stream, chat_sink& sink);

}  // namespace weft::model_detail
