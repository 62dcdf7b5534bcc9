#pragma once

#include <weft/agent/memory/semantic_items.hpp>
#include <weft/agent/text/text_passages.hpp>

#include <boost/json/object.hpp>

#include <cstddef>
#include <string>

namespace weft {

/** The fields that make the vectors of passages, for the `semantic_items` that documents are put into. */
[[nodiscard]] semantic_items_options document_fields();

/** A document to be found by meaning. */
struct indexed_document {
    std::string name;                  ///< Such as its path; the namespace of its passages.
    std::string text;                  ///< Plain text or Markdown.
    boost::json::object metadata = {};  ///< Members that each passage gets beside its own, for filters.
};

/** Puts the passages of a document where they are found by meaning, in place of those it had. Each is an item in the
 *  namespace of the document's name, such as
 *
 *      {"document": "docs/MODELS.md", "heading": "Models > Keys", "line": 12, "text": "…"}
 *
 *  Passages that are gone are erased last, so that the document is there all the time.
 *
 *  @return             How many passages it has.
 *  @par Errors         Those of `semantic_items`; `errc::invalid_configuration` for a document without a name.
 *  @par Cancellation   Between two items: passages of both states are there then. */
[[nodiscard]] task<std::size_t> index_document(semantic_items where, indexed_document document,
                                               passage_options how = {});

/** Removes a document. @return  How many passages it had. */
[[nodiscard]] task<std::size_t> forget_document(semantic_items where, std::string name);

}  // namespace weft
