#pragma once

#include <weft/async/async_generator.hpp>
#include <weft/model/chat_model.hpp>

#include <memory>
#include <string>

namespace weft {

/** The text of a model's reply while it is written, piece by piece.
 *
 *      weft::async_generator<std::string> text = weft::reply_text(model, std::move(request));
 *      for (;;) {
 *          std::string* const piece = co_await text.next();
 *          if (!piece) break;
 *          std::cout << *piece << std::flush;
 *      }
 *
 *  The call begins with the first `next`. A reader that is slow is felt by the provider: when some pieces wait, nothing
 *  more is read from the socket. As the work of a node it is a stream that other nodes read (`weft::streaming`).
 *
 *  @param model     Shared by the generator.
 *  @return          The pieces of the text, in order; a reply without text is an empty sequence.
 *
 *  @par Errors
 *    - Those of `chat_model::reply`, behind the pieces that came before.
 *    - `errc::invalid_model_reply`   the call broke off and began anew after pieces had been read, which a
 *                                    `model_retry::restarts_after_tokens` allows: they are void.
 *  @par Cancellation    As `chat_model::reply`; destroying the generator closes the connection.
 *  @par Thread safety   None. */
[[nodiscard]] async_generator<std::string> reply_text(std::shared_ptr<chat_model> model, chat_request request);

}  // namespace weft
