#include "embedding_statements.hpp"

#include "sql_statements.hpp"

#include <weft/store/record/content_hash.hpp>

#include <boost/assert.hpp>

#include <utility>

namespace weft::postgres_detail {

namespace {

constexpr std::size_t full_floats_max = 2'000;  // in an index of pgvector

std::string quoted_text(std::string_view text)
{
    std::string quoted = text.find('\\') == text.npos ? "'" : " E'";
    for (const char each : text) {
        if (each == '\'' || each == '\\') quoted.push_back(each);
        quoted.push_back(each);
    }
    return quoted + "'";
}

/** The type that the index has, such as `"public".vector(768)`. */
std::string indexed_type(const embedding_index& index, std::string_view schema)
{
    const char* const type = index.dimensions <= full_floats_max ? ".vector(" : ".halfvec(";
    return std::string{schema} + type + std::to_string(index.dimensions) + ")";
}

std::string model_is(const embedding_index& index) { return "model = " + quoted_text(index.model); }

/** A function of the extension, since an operator without its schema may be another one. */
std::string dimensions_of_embedding(std::string_view schema)
{
    return std::string{schema} + ".vector_dims(embedding)";
}

std::string list_unfilled_text()
{
    constexpr std::string_view of_model = " AND model = $7";
    std::string text = sql::list_vectors.text;
    const std::size_t at = text.find(of_model);
    BOOST_ASSERT(at != text.npos);
    return text.insert(at + of_model.size(), " AND embedding IS NULL");
}

std::string name_with(std::string_view begin, const embedding_index& index)
{
    // Any model in a name of at most 63 bytes; the key need not be secret.
    const std::string hash = hash_of(index.model, hash_key{}).text();
    return std::string{begin} + hash.substr(0, 16) + "_" + std::to_string(index.dimensions);
}

// Between ($2, $3) and the space $4, which is null if there is no end.
constexpr std::string_view in_range =
    "v.tenant = $1 AND (v.space, v.name) >= ($2, $3) AND ($4 IS NULL OR v.space < $4)";
constexpr std::string_view not_ended = "(v.expires IS NULL OR v.expires > now())";
// OFFSET keeps it a look-up for each row: see `sql::list_vectors`.
constexpr std::string_view item_of_row =
    "(SELECT value, created, changed, expires FROM item WHERE tenant = $1 AND space = v.space AND name = v.name"
    " AND (expires IS NULL OR expires > now()) OFFSET 0) i";

/** @param which      Conditions for rows `v` of item_vector.
 *  @param distance   An expression that sorts them. */
std::string search_text(const std::string& which, const std::string& distance, bool has_filter)
{
    const std::string rows = std::string{in_range} + " AND v.embedding IS NOT NULL AND " + std::string{not_ended} +
                             " AND " + which;
    const std::string end = " ORDER BY " + distance + " LIMIT $9) v";
    const std::string last = " ORDER BY v.space, v.name";
    if (!has_filter)
        return "SELECT v.space, v.name, i.value, i.created, i.changed, i.expires, v.vector FROM"
               " (SELECT v.space, v.name, v.vector FROM item_vector v WHERE " +
               rows + end + " LEFT JOIN LATERAL " + std::string{item_of_row} + " ON true" + last;
    return "SELECT v.space, v.name, v.value, v.created, v.changed, v.expires, v.vector FROM"
           " (SELECT v.space, v.name, i.value, i.created, i.changed, i.expires, v.vector"
           " FROM item_vector v CROSS JOIN LATERAL " +
           std::string{item_of_row} + " WHERE " + rows +
           " AND convert_from(i.value, 'UTF8')::jsonb @> (SELECT $10::jsonb)" + end + last;
}

/** Vectors of other dimensions come first: looking at them is the error. The query is made a vector once, not for each
 *  row. */
std::string exact_distance(std::string_view schema)
{
    const std::string s{schema};
    return "CASE WHEN " + dimensions_of_embedding(schema) + " = array_length($8, 1) THEN v.embedding OPERATOR(" + s +
           ".<=>) (SELECT $8::" + s + ".vector) ELSE -1 END, v.space, v.name";
}

std::string indexed_distance(const embedding_index& index, std::string_view schema)
{
    const std::string type = indexed_type(index, schema);
    const std::string s{schema};
    const std::string query = "(SELECT $8::" + s + ".vector::" + type + ")";
    return "v.embedding::" + type + " OPERATOR(" + s + ".<=>) " + query;
}

}  // namespace

std::string index_name(const embedding_index& index) { return name_with("item_vector_near_", index); }
std::string misfit_index_name(const embedding_index& index) { return name_with("item_vector_misfit_", index); }

std::vector<std::string> index_definitions(const embedding_index& index, std::string_view schema)
{
    const std::string type = indexed_type(index, schema);
    const char* const operators =
        index.dimensions <= full_floats_max ? ".vector_cosine_ops" : ".halfvec_cosine_ops";
    const std::string dimensions = dimensions_of_embedding(schema);
    std::vector<std::string> definitions;
    definitions.push_back("CREATE INDEX IF NOT EXISTS " + index_name(index) +
                          " ON item_vector USING hnsw ((embedding::" + type + ") " + std::string{schema} + operators +
                          ") WHERE " + model_is(index) + " AND " + dimensions + " = " +
                          std::to_string(index.dimensions));
    definitions.push_back("CREATE INDEX IF NOT EXISTS " + misfit_index_name(index) +
                          " ON item_vector (tenant, space, name) WHERE " + model_is(index) + " AND " + dimensions +
                          " <> " + std::to_string(index.dimensions));
    return definitions;
}

embedding_statements::embedding_statements(std::string_view schema, const std::optional<embedding_index>& index)
    : index_{index}
{
    const std::string s{schema};
    set(put_, "put_embedding", "tTttbF",
        "INSERT INTO item_vector (tenant, space, name, model, vector, embedding, expires) VALUES ($1, $2, $3, $4, $5,"
        " $6::" + s + ".vector, (SELECT expires FROM item WHERE tenant = $1 AND space = $2 AND name = $3))"
        " ON CONFLICT (tenant, space, name) DO UPDATE SET model = excluded.model, vector = excluded.vector,"
        " embedding = excluded.embedding, expires = excluded.expires");
    // Rows that another transaction has are passed over: they are removed or filled, and waiting could be a deadlock.
    set(fill_, "fill_embedding", "tTtbF",
        "UPDATE item_vector SET embedding = $5::" + s + ".vector, expires = (SELECT expires FROM item WHERE"
        " tenant = $1 AND space = $2 AND name = $3) WHERE (tenant, space, name) = (SELECT tenant, space, name FROM"
        " item_vector WHERE tenant = $1 AND space = $2 AND name = $3 AND embedding IS NULL AND vector = $4"
        " FOR UPDATE SKIP LOCKED)");
    set(list_unfilled_, "list_unfilled", sql::list_vectors.types, list_unfilled_text());
    const std::string of_model = "v.model = $7";
    set(nearest_, "nearest", "tTtTTttFi", search_text(of_model, exact_distance(schema), false));
    set(nearest_filtered_, "nearest_filtered", "tTtTTttFit", search_text(of_model, exact_distance(schema), true));
    if (!index) return;
    const std::string dimensions = dimensions_of_embedding(schema);
    const std::string number = std::to_string(index->dimensions);
    const std::string in_index = model_is(*index) + " AND " + dimensions + " = " + number;
    const std::string distance = indexed_distance(*index, schema);
    set(nearest_indexed_, "nearest_indexed", "tTtTTttFi", search_text(in_index, distance, false));
    set(nearest_indexed_filtered_, "nearest_indexed_filtered", "tTtTTttFit", search_text(in_index, distance, true));
    set(misfit_, "nearest_misfit", "tTtTTt",
        "SELECT v.space, v.name, ''::bytea, NULL, NULL, NULL, v.vector FROM item_vector v WHERE " +
            std::string{in_range} + " AND " + model_is(*index) + " AND " + dimensions + " <> " + number +
            " ORDER BY v.space, v.name LIMIT 1");
}

void embedding_statements::set(sql_statement& statement, const char* name, const char* types, std::string text)
{
    texts_.push_back(std::move(text));
    statement = {name, types, texts_.back().c_str()};
    all_.push_back(&statement);
}

bool embedding_statements::has_index_for(std::string_view model, std::size_t dimensions) const noexcept
{
    return index_ && index_->model == model && index_->dimensions == dimensions;
}

}  // namespace weft::postgres_detail
