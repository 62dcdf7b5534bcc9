#pragma once

#include <libpq-fe.h>

#include <memory>
#include <stdexcept>
#include <string>

namespace weft_tests {

/** A connection of libpq that blocks: another program on the database. */
class raw_session {
public:
    explicit raw_session(const std::string& where) : connection_{PQconnectdb(where.c_str())}
    {
        if (PQstatus(connection_.get()) != CONNECTION_OK)
            throw std::runtime_error{PQerrorMessage(connection_.get())};
    }

    /** @return  The first column of the first row; empty if there is none. @throws std::runtime_error */
    std::string query(const std::string& text)
    {
        const std::unique_ptr<PGresult, decltype(&PQclear)> result{PQexec(connection_.get(), text.c_str()), &PQclear};
        const ExecStatusType status = PQresultStatus(result.get());
        if (status != PGRES_TUPLES_OK && status != PGRES_COMMAND_OK)
            throw std::runtime_error{text + ": " + PQerrorMessage(connection_.get())};
        return PQntuples(result.get()) > 0 ? PQgetvalue(result.get(), 0, 0) : "";
    }

    /** How many notifications have come since the last question, if it listens. */
    int notifications()
    {
        struct freer {
            void operator()(PGnotify* each) const noexcept { PQfreemem(each); }
        };
        int count = 0;
        while (std::unique_ptr<PGnotify, freer>{PQnotifies(connection_.get())}) ++count;
        return count;
    }

private:
    struct finisher {
        void operator()(PGconn* connection) const noexcept { PQfinish(connection); }
    };
    std::unique_ptr<PGconn, finisher> connection_;
};

}  // namespace weft_tests
